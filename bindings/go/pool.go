// SPDX-License-Identifier: Apache-2.0
package coracle

/*
#include <coracle/coracle.h>

static void free_pool(void* pool) { coracle_pool_free((coracle_pool*)pool); }
*/
import "C"

import (
	"unsafe"

	"coracle.dev/coracle/internal/native"
)

// Pool is threads that runs of several sessions share. Sessions keep them alive.
type Pool struct {
	handle *native.Handle
}

// NewPool makes a pool of so many threads in all, each run's calling thread included; 0: DefaultThreads.
func NewPool(threads int) (*Pool, error) {
	return newPool(func(pool **C.coracle_pool) C.coracle_status { return C.coracle_pool_create(number(threads), pool) })
}

// NewPoolOn makes a pool on the processors cpus only: "0-3,8" or "node1".
func NewPoolOn(cpus string, threads int) (*Pool, error) {
	var texts native.Texts
	defer texts.Free()
	list := (*C.char)(texts.Of(cpus))
	if texts.Err() != nil {
		return nil, texts.Err()
	}
	return newPool(func(pool **C.coracle_pool) C.coracle_status {
		return C.coracle_pool_create_on(list, number(threads), pool)
	})
}

func newPool(create func(pool **C.coracle_pool) C.coracle_status) (*Pool, error) {
	var pool *C.coracle_pool
	if err := native.Call(func() int { return int(create(&pool)) }); err != nil {
		return nil, err
	}
	return &Pool{native.NewHandle("the pool", unsafe.Pointer(pool), func(pool unsafe.Pointer) { C.free_pool(pool) })}, nil
}

// Threads is how many it has, those of callers included; 0 once it is closed.
func (p *Pool) Threads() (threads int) {
	if p != nil {
		_ = p.handle.Use(func(pool unsafe.Pointer) error {
			threads = int(C.coracle_pool_threads((*C.coracle_pool)(pool)))
			return nil
		})
	}
	return threads
}

// Close frees the pool when no session uses it any more.
func (p *Pool) Close() error {
	if p != nil {
		p.handle.Close()
	}
	return nil
}
