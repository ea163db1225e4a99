package codegraph_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"mneme/knowledge"
)

func TestP4_Python(t *testing.T) {
	t.Parallel()
	x := index(t, `
-- src/shop/__init__.py --
from .cart import Cart
from . import tax
-- src/shop/cart.py --
"""Carts."""
import os
from typing import TYPE_CHECKING
from shop.base import Base as Root, LIMIT
import shop.util.money as money
import shop.tax

if TYPE_CHECKING:
    from .late import Late


class Cart(Root, os.PathLike):
    """Holds items."""

    def total(self, late: "Late") -> int:
        self.check()
        return money.add(shop.tax.rate(), LIMIT)

    def check(self):
        from .late import helper
        helper = helper
-- src/shop/base.py --
LIMIT = 3

class Base:
    pass
-- src/shop/late.py --
class Late: ...
def helper(): ...
-- src/shop/tax.py --
def rate(): return 1
-- src/shop/util/money.py --
def add(a, b): return a + b
-- tests/test_cart.py --
from shop import Cart, tax
from shop.base import *

class Fake(Cart): pass

def test(add):
    add(tax.rate(), LIMIT)
`)
	kinds := func(e knowledge.CodeEdge) string {
		if e.TypeOnly {
			return "typeOnly " + e.Resolution
		}
		return e.Resolution
	}
	assert.Equal(t, lines(`
		src/shop/__init__.py → src/shop/cart.py relative
		src/shop/__init__.py → src/shop/tax.py relative
		src/shop/cart.py → src/shop/base.py package path
		src/shop/cart.py → src/shop/late.py relative
		src/shop/cart.py → src/shop/tax.py package path
		src/shop/cart.py → src/shop/util/money.py package path
		tests/test_cart.py → src/shop/__init__.py package path
		tests/test_cart.py → src/shop/base.py package path
		tests/test_cart.py → src/shop/tax.py package path`), edges(x, knowledge.CodeImportsFile, kinds))
	assert.Equal(t, lines(`
		src/shop/cart.py#Cart → src/shop/base.py#Base
		tests/test_cart.py#Fake → src/shop/cart.py#Cart`), edges(x, knowledge.CodeExtends, nil))
	assert.Equal(t, []string{"os.PathLike"}, symbol(t, x, "src/shop/cart.py", "Cart").ExternalParents)
	assert.Equal(t, lines(`
		src/shop/cart.py#Cart.total → src/shop/cart.py#Cart.check
		src/shop/cart.py#Cart.total → src/shop/tax.py#rate
		src/shop/cart.py#Cart.total → src/shop/util/money.py#add
		tests/test_cart.py#test → src/shop/tax.py#rate`), edges(x, knowledge.CodeCalls, nil), "a parameter hides what is imported")
	assert.Contains(t, edges(x, knowledge.CodeExportsSymbol, name), "src/shop/__init__.py → src/shop/cart.py#Cart as Cart")
	s := symbol(t, x, "src/shop/cart.py", "Cart")
	assert.Equal(t, "Holds items.", s.Doc)
	assert.Equal(t, knowledge.CodeKindConstant, symbol(t, x, "src/shop/base.py", "LIMIT").Kind)
	assert.Equal(t, knowledge.CodeKindMethod, symbol(t, x, "src/shop/cart.py", "Cart.total").Kind)
}
