package training

// tensor is a parameter tensor of a network, with the arithmetic of the layer whose weights it is.
type tensor struct {
	numbers, flops float64
}

// resnet is a residual network with bottlenecks, as torchvision has it (He et al., CVPR 2016; Xie et al., CVPR 2017).
type resnet struct {
	name   string
	blocks [4]int
	groups float64
	width  float64 // of a group in the first stage
}

var resnets = []*resnet{
	{"resnet50", [4]int{3, 4, 6, 3}, 1, 64},
	{"resnet101", [4]int{3, 4, 23, 3}, 1, 64},
	{"resnet152", [4]int{3, 8, 36, 3}, 1, 64},
	{"resnext50_32x4d", [4]int{3, 4, 6, 3}, 32, 4},
	{"resnext101_32x8d", [4]int{3, 4, 23, 3}, 32, 8},
}

func (r *resnet) String() string { return r.name }

// tensors returns the tensors in the order of the definition, for an image of 224 x 224.
func (r *resnet) tensors() (all []tensor) {
	conv := func(k, in, out, groups, size float64) {
		weights := k * k * in * out / groups
		all = append(all, tensor{weights, 2 * weights * size * size}, tensor{out, 0}, tensor{out, 0}) // its norm has two
	}
	conv(7, 3, 64, 1, 112)
	in, size := 64.0, 56.0
	for stage, blocks := range r.blocks {
		planes := 64 * float64(int(1)<<stage)
		width := planes * r.width / 64 * r.groups
		for block := range blocks {
			before := size
			if block == 0 && stage > 0 {
				size /= 2
			}
			conv(1, in, width, 1, before)
			conv(3, width, width, r.groups, size)
			conv(1, width, 4*planes, 1, size)
			if block == 0 {
				conv(1, in, 4*planes, 1, size)
			}
			in, before = 4*planes, size
		}
	}
	return append(all, tensor{in * 1000, 2 * in * 1000}, tensor{1000, 0})
}
