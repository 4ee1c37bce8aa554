package picture

import (
	"bytes"
	"fmt"
	"io"
	"log"
	"path/filepath"
	"slices"
	"strings"

	xfont "golang.org/x/image/font"
	"golang.org/x/text/encoding/charmap"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgpdf"
	"gonum.org/v1/plot/vg/vgsvg"

	"overlapsim/scenarios/disk"
	"overlapsim/scenarios/keys"
)

// Format is a kind of file.
type Format struct {
	Name   string // also the ending of its files
	canvas func(width, height vg.Length) vg.CanvasWriterTo
}

const dotsPerInch = 300 // of PNG

// formats are all formats.
var formats = []Format{
	{"svg", func(w, h vg.Length) vg.CanvasWriterTo { return &svgCanvas{Canvas: vgsvg.New(w, h)} }},
	{"pdf", func(w, h vg.Length) vg.CanvasWriterTo { return newPDF(w, h) }},
	{"png", func(w, h vg.Length) vg.CanvasWriterTo {
		return vgimg.PngCanvas{Canvas: vgimg.NewWith(vgimg.UseWH(w, h), vgimg.UseDPI(dotsPerInch))}
	}},
}

// pdfCanvas writes text as the fonts of PDF number letters: "µ" is one of them, not two.
type pdfCanvas struct{ *vgpdf.Canvas }

func newPDF(w, h vg.Length) vg.CanvasWriterTo {
	log.SetOutput(io.Discard) // on which the library says what it panics with
	return pdfCanvas{vgpdf.New(w, h)}
}

// FillString implements vg.Canvas.
func (c pdfCanvas) FillString(f font.Face, at vg.Point, text string) {
	letters, err := charmap.Windows1252.NewEncoder().String(text)
	if err != nil {
		letters = text
	}
	if f.Font.Weight == xfont.WeightBold { // the library embeds bold letters as a family, and then asks for the bold ones of that family
		f.Font.Variant, f.Font.Weight = "Bold", xfont.WeightNormal
	}
	disk.Whole(func() { c.Canvas.FillString(f, at, letters) })
}

// noLetters turns the panic of a PDF whose letters cannot be made into an error: that needs temporary files.
func noLetters(err *error) {
	value := recover()
	if text, _ := value.(string); strings.HasPrefix(text, "vgpdf: could not generate font") {
		at := strings.Index(text, "PDF: ") + len("PDF: ")
		*err = fmt.Errorf("the letters of a PDF need a folder of temporary files (TMPDIR): %s", text[at:])
	} else if value != nil {
		panic(value)
	}
}

// svgCanvas remembers how wide each text is, so that it is as wide in letters of another font.
type svgCanvas struct {
	*vgsvg.Canvas
	widths []vg.Length
}

// FillString implements vg.Canvas.
func (c *svgCanvas) FillString(f font.Face, at vg.Point, text string) {
	c.widths = append(c.widths, f.Width(text))
	c.Canvas.FillString(f, at, text)
}

// WriteTo implements io.WriterTo: it states the width of each text in its element.
func (c *svgCanvas) WriteTo(w io.Writer) (int64, error) {
	var file bytes.Buffer
	if _, err := c.Canvas.WriteTo(&file); err != nil {
		return 0, err
	}
	parts := bytes.Split(file.Bytes(), []byte("<text "))
	var out bytes.Buffer
	for i, part := range parts {
		if i > 0 {
			out.WriteString("<text ")
			if i <= len(c.widths) && c.widths[i-1] > 0 {
				fmt.Fprintf(&out, "textLength=\"%.5g\" lengthAdjust=\"spacingAndGlyphs\" ", c.widths[i-1].Points())
			}
		}
		out.Write(part)
	}
	return out.WriteTo(w)
}

// FormatOf returns the format that the ending of a file's name says.
func FormatOf(file string) (Format, error) {
	ending := strings.TrimPrefix(strings.ToLower(filepath.Ext(file)), ".")
	if i := slices.IndexFunc(formats, func(f Format) bool { return f.Name == ending }); i >= 0 {
		return formats[i], nil
	}
	return Format{}, fmt.Errorf("the name must end in .svg, .pdf or .png")
}

// SVG is the format for documents.
func SVG() Format { return formats[0] }

// written finds the time of writing in a PDF.
var written = keys.Pattern(`/(CreationDate|ModDate) \(D:\d{14}\)`)

// family finds the letters of an SVG, and alike are letters of the same widths where these are missing.
var (
	family = keys.Pattern(`font-family:Liberation (Sans|Serif)`)
	alike  = map[string]string{
		"font-family:Liberation Sans":  "font-family:Liberation Sans,Arial,Helvetica,sans-serif",
		"font-family:Liberation Serif": "font-family:Liberation Serif,Times New Roman,Times,serif",
	}
)

// write writes a canvas; the same picture gives the same bytes.
func (f Format) write(w io.Writer, c vg.CanvasWriterTo) error {
	var file bytes.Buffer
	if _, err := c.WriteTo(&file); err != nil {
		return err
	}
	// As long as before, or the places of what follows in the file are wrong.
	text := written().ReplaceAll(file.Bytes(), []byte("/$1 (D:20000101000000)"))
	if f.Name == "svg" {
		text = family().ReplaceAllFunc(text, func(name []byte) []byte { return []byte(alike[string(name)]) })
	}
	_, err := w.Write(text)
	return err
}
