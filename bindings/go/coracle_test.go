// SPDX-License-Identifier: Apache-2.0
package coracle_test

import (
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"coracle.dev/coracle"
)

// models is the folder that write_binding_models wrote.
func models(t *testing.T) string {
	t.Helper()
	folder := os.Getenv("CORACLE_TEST_MODELS")
	if folder == "" {
		t.Fatal("CORACLE_TEST_MODELS names the folder of the models")
	}
	return folder
}

func load(t *testing.T, name string) *coracle.Model {
	t.Helper()
	model, err := coracle.Load(filepath.Join(models(t), name), coracle.ModelOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return model
}

func newSession(t *testing.T, model *coracle.Model) *coracle.Session {
	t.Helper()
	session, err := model.NewSession(coracle.SessionOptions{Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	return session
}

func set[T coracle.Element](t *testing.T, session *coracle.Session, index int, dims []int64, values ...T) {
	t.Helper()
	tensor, err := coracle.NewTensor(dims, values)
	if err == nil {
		err = session.SetInput(index, tensor)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func expect[T coracle.Element](t *testing.T, session *coracle.Session, index int, expected ...T) {
	t.Helper()
	output, err := session.Output(index)
	if err != nil {
		t.Fatal(err)
	}
	values, err := coracle.Values[T](output)
	if err != nil || !reflect.DeepEqual(append([]T{}, values...), append([]T{}, expected...)) {
		t.Errorf("output %d: %v, %v, expected %v", index, values, err, expected)
	}
}

// productOf is one row times 1 2 / 3 4.
func productOf(session *coracle.Session, a, b float32) ([2]float32, error) {
	var found [2]float32
	tensor, err := coracle.NewTensor([]int64{1, 2}, []float32{a, b})
	if err == nil {
		err = session.SetInput(0, tensor)
	}
	if err == nil {
		err = session.Run(context.Background())
	}
	if err == nil {
		err = coracle.CopyOutput(session, 1, found[:])
	}
	return found, err
}

func expectProduct(t *testing.T, session *coracle.Session) {
	t.Helper()
	if found, err := productOf(session, 1, 2); err != nil || found != [2]float32{7, 10} {
		t.Errorf("%v, %v", found, err)
	}
}

// refused checks that an error is of a status, in words that hold these.
func refused(t *testing.T, status coracle.Status, words string, err error) {
	t.Helper()
	var failure *coracle.Error
	if !errors.As(err, &failure) || failure.Status != status || !errors.Is(err, status) || !strings.Contains(err.Error(), words) {
		t.Errorf("expected %v with %q, found %#v", status, words, err)
	}
}

func second[T any](_ T, err error) error { return err }

func TestAModelTellsWhatItIs(t *testing.T) {
	model := load(t, "product")
	inputs, err := model.Inputs()
	if expected := []coracle.TensorInfo{{Name: "x", Type: coracle.Float32, RankKnown: true, Dims: []int64{-1, 2}}}; err != nil || !reflect.DeepEqual(inputs, expected) {
		t.Error(inputs, err)
	}
	outputs, err := model.Outputs()
	if err != nil || len(outputs) != 2 {
		t.Fatal(outputs, err)
	}
	if index, err := model.FindOutput(outputs[1].Name); index != 1 || err != nil {
		t.Error(index, err)
	}
	refused(t, coracle.InvalidArgument, "no input 'y'", second(model.FindInput("y")))
	for _, tell := range []func() (string, error){
		model.Description, model.GraphText, model.Engines, coracle.Devices, coracle.Engines,
		func() (string, error) { return coracle.Inspect(filepath.Join(models(t), "product")) },
	} {
		if text, err := tell(); err != nil || text == "" {
			t.Error(text, err)
		}
	}
	if err := model.CheckFiles(); err != nil {
		t.Error(err)
	}
	if coracle.Version() == "" || coracle.DefaultThreads() < 1 || coracle.MemoryTotal() == 0 {
		t.Error("version, threads or memory")
	}
}

func TestARunHasTheRightResults(t *testing.T) {
	session := newSession(t, load(t, "product"))
	set[float32](t, session, 0, []int64{2, 2}, 1, 2, 0.5, 0)
	if err := session.Run(context.Background()); err != nil {
		t.Fatal(err)
	}
	expect[float32](t, session, 0, 2, 4, 1, 0)
	expect[float32](t, session, 1, 7, 10, 0.5, 1)
	output, _ := session.Output(1)
	if bytes, err := session.PlannedMemory(); bytes == 0 || err != nil {
		t.Error(bytes, err)
	}
	if text, err := session.Explain(); !strings.Contains(text, "kernel") {
		t.Error(text, err)
	}
	if _, err := session.ReleaseMemory(); err != nil {
		t.Error(err)
	}
	refused(t, coracle.InvalidArgument, "", second(session.Output(1)))
	if values, _ := coracle.Values[float32](output); !reflect.DeepEqual(output.Dims, []int64{2, 2}) || values[1] != 10 {
		t.Error("what was copied stays", output)
	}
	clone, err := session.Clone()
	if err != nil {
		t.Fatal(err)
	}
	refused(t, coracle.InvalidArgument, "x", clone.Run(context.Background()))
	expectProduct(t, clone)
}

func TestEveryElementTypeComesBack(t *testing.T) {
	session := newSession(t, load(t, "types.pdmodel"))
	set[float32](t, session, 0, []int64{2}, 0.5, -2)
	set[int32](t, session, 1, []int64{1}, math.MinInt32)
	set[int64](t, session, 2, []int64{1}, math.MaxInt64)
	set[uint8](t, session, 3, []int64{0})
	bytes, err := coracle.NewTensorOf(coracle.Int8, []int64{1}, []byte{0x80})
	if err == nil {
		err = session.SetInput(4, bytes)
	}
	if err != nil {
		t.Fatal(err)
	}
	set(t, session, 5, []int64{3}, true, false, true)
	offsets, _ := coracle.NewTensor([]int64{2}, []float32{0.5, -2})
	offsets.Lod = [][]int{{0, 2}}
	if err := session.SetInput(0, offsets); err != nil {
		t.Fatal(err)
	}
	if err := session.Run(context.Background()); err != nil {
		t.Fatal(err)
	}
	expect[float32](t, session, 0, 0.5, -2)
	expect[int32](t, session, 1, math.MinInt32)
	expect[int64](t, session, 2, math.MaxInt64)
	expect[uint8](t, session, 3)
	expect[int8](t, session, 4, -128)
	expect(t, session, 5, true, false, true)
	output, _ := session.Output(0)
	if !reflect.DeepEqual(output.Lod, [][]int{{0, 2}}) {
		t.Error(output.Lod)
	}
	refused(t, coracle.InvalidArgument, "of type float32, asked for int32", second(coracle.Values[int32](output)))
	refused(t, coracle.InvalidArgument, "of type float32, asked for bool", coracle.CopyOutput(session, 0, make([]bool, 2)))
	refused(t, coracle.InvalidArgument, "", coracle.CopyOutput(session, 0, make([]float32, 3)))
	if coracle.Float8E4M3.String() != "float8_e4m3fn" || coracle.Complex128.Size() != 16 || coracle.ElementType(-1).Size() != 0 {
		t.Error("names and sizes")
	}
}

func TestWrongThingsAreErrors(t *testing.T) {
	path := filepath.Join(models(t), "product")
	refused(t, coracle.IO, "nowhere", second(coracle.Load("nowhere", coracle.ModelOptions{})))
	refused(t, coracle.InvalidArgument, "quick", second(coracle.Load(path, coracle.ModelOptions{Precision: "quick"})))
	refused(t, coracle.InvalidArgument, "zero byte", second(coracle.Load(path, coracle.ModelOptions{Device: "a\x00b"})))
	refused(t, coracle.InvalidModel, "", second(coracle.LoadBytes([]byte("no model"), nil, coracle.ModelOptions{})))
	refused(t, coracle.InvalidArgument, "", second(coracle.NewPoolOn("no processor", 1)))
	model := load(t, "product")
	refused(t, coracle.InvalidArgument, "", second(model.NewSession(coracle.SessionOptions{Threads: math.MaxInt})))
	refused(t, coracle.InvalidArgument, "", second(model.NewSession(coracle.SessionOptions{Threads: -1})))
	refused(t, coracle.InvalidArgument, "2 elements", second(coracle.NewTensor([]int64{1, 2}, make([]float32, 3))))
	refused(t, coracle.InvalidArgument, "none that a tensor has", second(coracle.NewTensor([]int64{-1, 2}, make([]float32, 2))))
	refused(t, coracle.InvalidArgument, "none that a tensor has", second(coracle.NewTensor([]int64{math.MaxInt64, 2}, make([]float32, 2))))
	refused(t, coracle.InvalidArgument, "9 at most", second(coracle.NewTensor(make([]int64, 10), []float32{})))
	refused(t, coracle.InvalidArgument, "no element type", second(coracle.NewTensorOf(77, []int64{1}, []byte{0})))
	session := newSession(t, model)
	refused(t, coracle.InvalidArgument, "x", session.Run(context.Background()))
	refused(t, coracle.InvalidArgument, "", second(session.Output(0)))
	refused(t, coracle.InvalidArgument, "", second(session.Output(-1)))
	refused(t, coracle.InvalidArgument, "", second(session.Tensor("w")))
	tensor, _ := coracle.NewTensor([]int64{1, 2}, []int64{1, 2})
	refused(t, coracle.InvalidArgument, "int64", session.SetInput(0, tensor))
	refused(t, coracle.InvalidArgument, "", session.SetInput(7, tensor))
	refused(t, coracle.InvalidArgument, "", session.SetInput(0, coracle.Tensor{}))
	expectProduct(t, session)
}

func TestModelsComeFromMemoryAndFiles(t *testing.T) {
	program, err := os.ReadFile(filepath.Join(models(t), "product/inference.pdmodel"))
	if err != nil {
		t.Fatal(err)
	}
	params, err := os.ReadFile(filepath.Join(models(t), "product/inference.pdiparams"))
	if err != nil {
		t.Fatal(err)
	}
	model, err := coracle.LoadBytes(program, params, coracle.ModelOptions{Weights: "mapped"})
	if err != nil {
		t.Fatal(err)
	}
	for i := range params {
		params[i] = 0
	}
	session := newSession(t, model)
	file := filepath.Join(t.TempDir(), "product.coracle")
	if err := model.Save(file); err != nil {
		t.Fatal(err)
	}
	model.Close()
	model = nil
	for i := 0; i < 3; i++ { // the bytes stay with the session
		runtime.GC()
	}
	expectProduct(t, session)
	saved, err := coracle.Load(file, coracle.ModelOptions{CheckWeights: true})
	if err != nil {
		t.Fatal(err)
	}
	expectProduct(t, newSession(t, saved))
}

func TestWhatIsClosedIsAnError(t *testing.T) {
	model := load(t, "product")
	session := newSession(t, model)
	pool, err := coracle.NewPool(2)
	if err != nil || pool.Threads() != 2 {
		t.Fatal(pool.Threads(), err)
	}
	for i := 0; i < 2; i++ {
		model.Close()
		pool.Close()
	}
	expectProduct(t, session) // it keeps the model
	refused(t, coracle.InvalidArgument, "the model is closed", second(model.Inputs()))
	refused(t, coracle.InvalidArgument, "the model is closed", second(model.NewSession(coracle.SessionOptions{})))
	refused(t, coracle.InvalidArgument, "the pool is closed", second(load(t, "product").NewSession(coracle.SessionOptions{Pool: pool})))
	session.Close()
	session.Close()
	for _, err := range []error{session.Run(context.Background()), second(session.Output(0)), second(session.Clone()), session.SetInput(0, coracle.Tensor{}), session.SetProfiling(true)} {
		refused(t, coracle.InvalidArgument, "the session is closed", err)
		if !errors.Is(err, coracle.ErrClosed) {
			t.Error(err)
		}
	}
	var none *coracle.Session
	refused(t, coracle.InvalidArgument, "nil", none.Run(context.Background()))
	refused(t, coracle.InvalidArgument, "nil", second(none.Output(0)))
	refused(t, coracle.InvalidArgument, "", second(new(coracle.Model).Inputs()))
	if none.Close() != nil || (*coracle.Model)(nil).Close() != nil {
		t.Error("closing nothing")
	}
}

func TestGoroutinesShareAModelAndAPool(t *testing.T) {
	model := load(t, "product")
	pool, err := coracle.NewPool(2)
	if err != nil {
		t.Fatal(err)
	}
	var group sync.WaitGroup
	for thread := 0; thread < 4; thread++ {
		group.Add(1)
		go func(thread int) {
			defer group.Done()
			session, err := model.NewSession(coracle.SessionOptions{Pool: pool})
			for i := 0; i < 50 && err == nil; i++ {
				x := float32(100*thread + i)
				var found [2]float32
				if found, err = productOf(session, x, 1); found != [2]float32{x + 3, 2*x + 4} {
					t.Error(found)
				}
			}
			if err != nil {
				t.Error(err)
			}
			if thread%2 == 0 {
				session.Close()
			}
		}(thread)
	}
	group.Wait()
	runtime.GC()
}

func TestASessionIsForOneGoroutineAtATime(t *testing.T) {
	session := newSession(t, load(t, "endless.pdmodel"))
	set[float32](t, session, 0, []int64{1}, 0)
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() {
		err := session.Run(ctx)
		for errors.Is(err, coracle.InvalidArgument) && !errors.Is(err, coracle.ErrClosed) { // the other one was first
			err = session.Run(ctx)
		}
		ended <- err
	}()
	for session.SetProfiling(false) == nil { // until it goes on
		if len(ended) > 0 {
			t.Fatal(<-ended)
		}
	}
	session.Close() // frees it when the run has ended
	refused(t, coracle.InvalidArgument, "closed", session.SetProfiling(false))
	cancel()
	err := <-ended
	refused(t, coracle.Cancelled, "", err)
	if !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func TestContextsEndRuns(t *testing.T) {
	session := newSession(t, load(t, "endless.pdmodel"))
	set[float32](t, session, 0, []int64{1}, 0)
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Millisecond)
	defer cancel()
	for i := 0; i < 2; i++ { // under way, and before it begins
		err := session.Run(ctx)
		refused(t, coracle.Cancelled, "", err)
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Error(err)
		}
	}
	err := session.RunWith(context.Background(), coracle.RunOptions{TimeLimit: time.Microsecond})
	refused(t, coracle.RunFailure, "", err)
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, coracle.Cancelled) {
		t.Error(err)
	}
	set[float32](t, session, 0, []int64{1}, 1)
	ctx, cancel = context.WithCancel(context.Background())
	defer cancel()
	if err := session.Run(ctx); err != nil {
		t.Error(err)
	}
}

func TestValuesInsideOfOtherThings(t *testing.T) {
	type holder struct {
		next   *holder
		values [2]float32
	}
	inside := &holder{next: &holder{}, values: [2]float32{1, 2}}
	session := newSession(t, load(t, "product"))
	set(t, session, 0, []int64{1, 2}, inside.values[:]...)
	tensor, err := coracle.NewTensor([]int64{1, 2}, inside.next.values[:])
	if err != nil {
		t.Fatal(err)
	}
	inside.next.next, inside.next.values = inside, [2]float32{1, 2}
	if err := session.SetInput(0, tensor); err != nil {
		t.Fatal(err)
	}
	if err := session.Run(context.Background()); err != nil {
		t.Fatal(err)
	}
	if err := coracle.CopyOutput(session, 1, inside.values[:]); err != nil || inside.values != [2]float32{7, 10} {
		t.Error(inside.values, err)
	}
}
