package papers

import (
	"slices"
	"strings"

	"overlapsim/scenarios/keys"
)

// ClaimKind is what it proves about the simulator if a claim holds.
type ClaimKind uint8

// The kinds of claims. Only a prediction can show that the simulator is right.
const (
	Predicted    ClaimKind = iota // no number was chosen by it, and other numbers would give another verdict
	Fitted                        // a fit used it
	Derived                       // a number or a rule comes from the sentence, the table or the file that it checks
	Construction                  // it holds with any numbers of the machine, or follows from the order of two fitted numbers alone
)

var kindNames = []string{"predicted", "fitted", "derived", "construction"}

func (k ClaimKind) String() string { return kindNames[k] }

// kinds returns all kinds in their order.
func kinds() []ClaimKind { return []ClaimKind{Predicted, Fitted, Derived, Construction} }

// counted names the claims of a kind after a count.
func (k ClaimKind) counted() string {
	return [...]string{"predictions", "fitted", "derived", "by construction"}[k]
}

// kindText is the kind of a claim as its file states it.
type kindText struct{ kind keys.Tree }

func (x *kindText) rows(c *Claim) []keys.Row {
	return []keys.Row{
		required("kind", &x.kind, "what it means if the claim is reproduced: "+strings.Join(kindNames, ", ")),
		optional("basis", &c.Basis, "why a claim is derived or of construction"),
	}
}

// apply gives a claim its kind, or reports a mistake at its place in the file.
func (x *kindText) apply(c *Claim, t keys.Tree) {
	if !x.kind.Given() {
		return
	}
	i := slices.Index(kindNames, x.kind.Text())
	if i < 0 {
		x.kind.Complain("must be one of %s, got %s", strings.Join(kindNames, ", "), x.kind.Text())
		return
	}
	c.Kind = ClaimKind(i)
	if explained := c.Kind == Derived || c.Kind == Construction; explained != (c.Basis != "") {
		t.ComplainOf("basis", "must be given for the kinds derived and construction, and for no other")
	}
	if (c.Kind == Fitted) != (c.Fit != "") {
		t.ComplainOf("used_in_fit", "must be given for the kind fitted, and for no other")
	}
}
