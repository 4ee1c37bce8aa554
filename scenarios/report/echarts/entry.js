// What of echarts the reports use; docs/contributing/libraries.md says how it is built.
import * as echarts from 'echarts/core';
import { BarChart, CustomChart, HeatmapChart, LineChart, LinesChart, ScatterChart } from 'echarts/charts';
import {
  DataZoomComponent, GridComponent, LegendComponent, MarkLineComponent, TitleComponent, TooltipComponent, VisualMapComponent,
} from 'echarts/components';
import { CanvasRenderer } from 'echarts/renderers';

echarts.use([
  BarChart, CustomChart, HeatmapChart, LineChart, LinesChart, ScatterChart,
  DataZoomComponent, GridComponent, LegendComponent, MarkLineComponent, TitleComponent, TooltipComponent, VisualMapComponent,
  CanvasRenderer,
]);

globalThis.echarts = echarts;
