// SPDX-License-Identifier: Apache-2.0
//! CORACLE_TEST_MODELS is the folder that `write_binding_models` wrote.
use std::future::Future;
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Wake};
use std::time::Duration;

use coracle::{
    CancelToken, ElementType, Error, Model, ModelOptions, Pool, Result, RunOptions, Session, SessionOptions, Status,
};

fn models() -> PathBuf {
    PathBuf::from(std::env::var_os("CORACLE_TEST_MODELS").expect("CORACLE_TEST_MODELS names the folder of the models"))
}

fn load(name: &str) -> Model {
    Model::load(models().join(name), &ModelOptions::new()).unwrap()
}

fn session<'a>(model: &Model) -> Session<'a> {
    Session::new(model, &SessionOptions::new().threads(1)).unwrap()
}

/// A session whose run does not end by itself.
fn endless() -> Session<'static> {
    let mut session = session(&load("endless.pdmodel"));
    session.set_input(0, &[1], &[0f32]).unwrap();
    session
}

/// x times 1 2 / 3 4.
fn product_of(session: &mut Session<'_>, x: &[f32]) -> Vec<f32> {
    session.set_input(0, &[x.len() as i64 / 2, 2], x).unwrap();
    session.run().unwrap();
    session.output(1).unwrap().values().unwrap().to_vec()
}

#[track_caller]
fn refused<T: std::fmt::Debug>(status: Status, words: &str, result: Result<T>) {
    let error: Error = result.unwrap_err();
    assert_eq!(error.status(), status, "{}", error);
    assert!(error.to_string().contains(words), "expected {:?} in {:?}", words, error.to_string());
}

#[test]
fn a_model_tells_what_it_is() {
    let model = load("product");
    let inputs = model.inputs().unwrap();
    assert_eq!(inputs.len(), 1);
    assert_eq!((inputs[0].name.as_str(), inputs[0].element_type), ("x", ElementType::Float32));
    assert_eq!(inputs[0].dims.as_deref(), Some(&[-1, 2][..]));
    assert_eq!(model.outputs().unwrap().len(), 2);
    assert_eq!((model.find_input("x"), model.find_input("y")), (Some(0), None));
    assert_eq!(model.find_output(&model.outputs().unwrap()[1].name), Some(1));
    assert!(model.description().contains("\"operators\""));
    assert!(!model.graph_text().unwrap().is_empty());
    assert!(model.engines().unwrap().contains("\"nodes\""));
    model.check_files().unwrap();
    assert!(coracle::inspect(models().join("product")).unwrap().contains("\"operators\""));
    assert!(coracle::version().contains('.') && coracle::default_threads() > 0);
}

#[test]
fn a_run_has_the_right_results() {
    let mut session = session(&load("product"));
    assert_eq!(product_of(&mut session, &[1.0, 2.0, 0.5, 0.0]), [7.0, 10.0, 0.5, 1.0]);
    let twice = session.output(0).unwrap();
    assert_eq!((twice.dims(), twice.element_type()), (&[2, 2][..], ElementType::Float32));
    assert_eq!(twice.values::<f32>().unwrap(), [2.0, 4.0, 1.0, 0.0]);
    assert_eq!(twice.bytes().len(), 16);
    assert!(session.memory().unwrap().plans > 0);
    assert!(session.planned_memory().unwrap() > 0);
    assert!(session.explain().unwrap().contains("\"kernel\""));
    session.release_memory().unwrap();
    refused(Status::InvalidArgument, "", session.output(0));
    assert_eq!(product_of(&mut session.try_clone().unwrap(), &[1.0, 0.0]), [1.0, 2.0]);
}

#[test]
fn every_element_type_comes_back() {
    let mut session = session(&load("types.pdmodel"));
    session.set_input(0, &[2], &[0.5f32, -2.0]).unwrap();
    session.set_input(1, &[1], &[i32::MIN]).unwrap();
    session.set_input(2, &[1], &[i64::MAX]).unwrap();
    session.set_input(3, &[2], &[0u8, 255]).unwrap();
    session.set_input_bytes(4, ElementType::Int8, &[1], &[0x80]).unwrap();
    session.set_input(5, &[3], &[true, false, true]).unwrap();
    session.run().unwrap();
    assert_eq!(session.output(0).unwrap().values::<f32>().unwrap(), [0.5, -2.0]);
    assert_eq!(session.output(1).unwrap().values::<i32>().unwrap(), [i32::MIN]);
    assert_eq!(session.output(2).unwrap().values::<i64>().unwrap(), [i64::MAX]);
    assert_eq!(session.output(3).unwrap().values::<u8>().unwrap(), [0, 255]);
    assert_eq!(session.output(4).unwrap().values::<i8>().unwrap(), [-128]);
    assert_eq!(session.output(5).unwrap().bools().unwrap(), [true, false, true]);
    refused(Status::InvalidArgument, "of type float32, asked for int32", session.output(0).unwrap().values::<i32>());
    refused(Status::InvalidArgument, "of type int32, asked for bool", session.output(1).unwrap().bools());
    assert_eq!(ElementType::Float8E4M3.to_string(), "float8_e4m3fn");
    assert_eq!(ElementType::Complex128.size(), 16);
}

#[test]
fn sequence_offsets_go_with_a_tensor() {
    let mut session = session(&load("types.pdmodel"));
    session.set_input(0, &[3], &[1f32, 2.0, 3.0]).unwrap();
    session.set_input(1, &[0], &[0i32; 0]).unwrap();
    session.set_input(2, &[0], &[0i64; 0]).unwrap();
    session.set_input(3, &[0], &[0u8; 0]).unwrap();
    session.set_input(4, &[0], &[0i8; 0]).unwrap();
    session.set_input(5, &[0], &[true; 0]).unwrap();
    session.set_input_lod(0, &[vec![0, 1, 3]]).unwrap();
    session.run().unwrap();
    assert_eq!(session.output(0).unwrap().lod(), [vec![0, 1, 3]]);
    assert_eq!(session.output(1).unwrap().values::<i32>().unwrap(), [0i32; 0]);
    refused(Status::InvalidArgument, "", session.set_input_lod(0, &[vec![0, 2]]));
}

#[test]
fn wrong_things_are_errors() {
    let load_with = |options: &ModelOptions| Model::load(models().join("product"), options);
    refused(Status::Io, "nowhere", Model::load(models().join("nowhere"), &ModelOptions::new()));
    refused(Status::InvalidArgument, "quick", load_with(&ModelOptions::new().precision("quick")));
    refused(Status::InvalidArgument, "zero byte", load_with(&ModelOptions::new().device("a\0b")));
    refused(Status::InvalidModel, "", Model::from_bytes(b"no model".to_vec(), Vec::new(), &ModelOptions::new()));
    let model = load("product");
    refused(Status::InvalidArgument, "", Session::new(&model, &SessionOptions::new().threads(usize::MAX)));
    refused(Status::InvalidArgument, "", Pool::on("no processor", 1));
    let mut session = session(&model);
    refused(Status::InvalidArgument, "x", session.run());
    refused(Status::InvalidArgument, "", session.output(0));
    refused(Status::InvalidArgument, "2 elements, given 3", session.set_input(0, &[1, 2], &[0f32; 3]));
    refused(Status::InvalidArgument, "none that a tensor has", session.set_input(0, &[-1, 2], &[0f32; 2]));
    refused(Status::InvalidArgument, "9 at most", session.set_input(0, &[1; 10], &[0f32]));
    refused(Status::InvalidArgument, "none that a tensor has", session.set_input(0, &[i64::MAX; 3], &[0f32]));
    refused(Status::InvalidArgument, "int64", session.set_input(0, &[1, 2], &[0i64; 2]));
    refused(Status::InvalidArgument, "", session.set_input(7, &[1, 2], &[0f32; 2]));
    refused(Status::InvalidArgument, "whole number", {
        session.set_input_bytes(0, ElementType::Float32, &[1, 2], &[0; 7])
    });
    refused(Status::InvalidArgument, "", session.tensor("w"));
    assert_eq!(product_of(&mut session, &[1.0, 1.0]), [4.0, 6.0]);
}

#[test]
fn models_come_from_memory_and_functions() {
    let bytes = |name: &str| std::fs::read(models().join("product").join(name)).unwrap();
    let program = bytes("inference.pdmodel");
    let model = Model::from_bytes(program, bytes("inference.pdiparams"), &ModelOptions::new()).unwrap();
    let mut of_memory = session(&model);
    drop(model);
    assert_eq!(product_of(&mut of_memory, &[1.0, 1.0]), [4.0, 6.0]);

    let read = |name: &Path| std::fs::read(models().join(name)).ok();
    let model = Model::read_by("product/inference.pdmodel", &ModelOptions::new(), read).unwrap();
    assert_eq!(product_of(&mut session(&model), &[1.0, 1.0]), [4.0, 6.0]);
    refused(Status::Io, "x.pdmodel", Model::read_by("x.pdmodel", &ModelOptions::new(), |_| None));
    let thrown = std::panic::catch_unwind(|| {
        Model::read_by("x.pdmodel", &ModelOptions::new(), |_| std::panic::panic_any("thrown"))
    });
    assert_eq!(*thrown.unwrap_err().downcast::<&str>().unwrap(), "thrown");
}

#[test]
fn saved_models_are_models() {
    let path = std::env::temp_dir().join(format!("coracle-rust-{}.coracle", std::process::id()));
    load("product").save(&path).unwrap();
    let model = Model::load(&path, &ModelOptions::new().check_weights(true));
    std::fs::remove_file(&path).unwrap();
    assert_eq!(product_of(&mut session(&model.unwrap()), &[1.0, 1.0]), [4.0, 6.0]);
}

#[test]
fn memory_is_borrowed() {
    let (x, mut result) = (vec![1f32, 2.0], vec![0f32; 2]);
    {
        let mut session = session(&load("product"));
        session.borrow_input(0, &[1, 2], &x).unwrap();
        session.bind_output(1, &mut result).unwrap();
        session.run().unwrap();
        assert_eq!(session.output(1).unwrap().values::<f32>().unwrap(), [7.0, 10.0]);
    }
    assert_eq!(result, [7.0, 10.0]);
    let mut small = [0f32; 1];
    let mut session = session(&load("product"));
    session.borrow_input(0, &[1, 2], &x).unwrap();
    session.bind_output(1, &mut small).unwrap();
    refused(Status::InvalidArgument, "bytes", session.run());
    session.unbind_output(1).unwrap();
    session.run().unwrap();
}

#[test]
fn threads_share_a_model_and_a_pool() {
    let (model, pool) = (load("product"), Pool::new(2).unwrap());
    assert_eq!(pool.threads(), 2);
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let mut session = Session::new(&model, &SessionOptions::new().pool(&pool)).unwrap();
            scope.spawn(move || {
                for i in 0..50 {
                    let x = (thread * 100 + i) as f32;
                    assert_eq!(product_of(&mut session, &[x, 1.0]), [x + 3.0, 2.0 * x + 4.0]);
                }
            });
        }
        drop(pool);
    });
}

#[test]
fn runs_are_cancelled() {
    let token = CancelToken::new();
    let mut session = endless();
    std::thread::scope(|scope| {
        let other = token.clone();
        scope.spawn(move || other.cancel());
        refused(Status::Cancelled, "", session.run_with(&RunOptions::new().cancel(&token)));
    });
    assert!(token.is_cancelled());
    refused(Status::Cancelled, "", session.run_with(&RunOptions::new().cancel(&token)));
    refused(Status::RunFailure, "", session.run_with(&RunOptions::new().time_limit(Duration::from_micros(1))));
    session.set_input(0, &[1], &[1f32]).unwrap();
    session.run().unwrap();
    refused(Status::Cancelled, "", Model::load(models().join("product"), &ModelOptions::new().cancel(&token)));
}

struct Unpark(std::thread::Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

fn block_on<F: Future + Unpin>(mut future: F) -> F::Output {
    let waker = Arc::new(Unpark(std::thread::current())).into();
    loop {
        match Pin::new(&mut future).poll(&mut Context::from_waker(&waker)) {
            Poll::Ready(result) => return result,
            Poll::Pending => std::thread::park(),
        }
    }
}

#[test]
fn runs_go_on_in_the_library() {
    let mut session = session(&load("product"));
    session.set_input(0, &[1, 2], &[1f32, 2.0]).unwrap();
    let (session, result) = session.run_async(&RunOptions::new()).wait();
    result.unwrap();
    assert_eq!(session.output(1).unwrap().values::<f32>().unwrap(), [7.0, 10.0]);
    let (session, result) = block_on(session.run_async(&RunOptions::new()));
    result.unwrap();
    assert_eq!(session.output(1).unwrap().values::<f32>().unwrap(), [7.0, 10.0]);
    let (_, result) = session.try_clone().unwrap().run_async(&RunOptions::new()).wait();
    refused(Status::InvalidArgument, "x", result);
}

#[test]
fn asynchronous_runs_are_cancelled() {
    drop(endless().run_async(&RunOptions::new())); // ends
    let token = CancelToken::new();
    let run = endless().run_async(&RunOptions::new().cancel(&token));
    assert!(!run.has_ended());
    token.cancel();
    refused(Status::Cancelled, "", block_on(run).1);
    let run = endless().run_async(&RunOptions::new());
    run.cancel();
    let (mut session, result) = run.wait();
    refused(Status::Cancelled, "", result);
    session.set_input(0, &[1], &[1f32]).unwrap();
    session.run().unwrap();
}
