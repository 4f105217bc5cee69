// SPDX-License-Identifier: Apache-2.0
package native

/*
#include <stdlib.h>
*/
import "C"

import (
	"fmt"
	"strings"
	"unsafe"
)

// Texts are zero-terminated strings for a call.
type Texts struct {
	all []unsafe.Pointer
	err error
}

// Or is null for an empty text, and else as Of.
func (t *Texts) Or(text string) unsafe.Pointer {
	if text == "" {
		return nil
	}
	return t.Of(text)
}

// Of is the text, until Free.
func (t *Texts) Of(text string) unsafe.Pointer {
	if strings.IndexByte(text, 0) >= 0 && t.err == nil {
		t.err = Invalid(fmt.Sprintf("%q has a zero byte, which no name, path or option may have", text))
	}
	t.all = append(t.all, unsafe.Pointer(C.CString(text)))
	return t.all[len(t.all)-1]
}

// Err says that a text cannot be one of C's.
func (t *Texts) Err() error { return t.err }

// Free frees them all.
func (t *Texts) Free() {
	for _, each := range t.all {
		C.free(each)
	}
	t.all = nil
}
