// SPDX-License-Identifier: Apache-2.0
// What the classes of com.baidu.paddle.lite call. A predictor is a pointer that Java holds: 0 never comes here, nor one
// that was freed, nor two calls at once for one predictor. No exception of C++ leaves a function: it becomes one of
// Java, which is thrown when the function has returned.
#include <jni.h>

#include <cstdint>
#include <exception>
#include <limits>
#include <memory>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "paddle_api.h"

namespace {

namespace lite = paddle::lite_api;
using Predictor = std::shared_ptr<lite::PaddlePredictor>;

/// A Java exception waits to be thrown by the return to Java.
struct JavaException {};

/// What the caller gave is wrong, in its words.
struct WrongArgument {
  std::string message;
};

/// Nothing of JNI but a few functions may be called while an exception waits.
template <class T>
T checked(JNIEnv* env, T made) {
  if (env->ExceptionCheck() != JNI_FALSE) throw JavaException();
  return made;
}

jbyteArray to_bytes(JNIEnv* env, const std::string& text) {
  const auto size = static_cast<jsize>(text.size());
  jbyteArray bytes = checked(env, env->NewByteArray(size));
  env->SetByteArrayRegion(bytes, 0, size, reinterpret_cast<const jbyte*>(text.data()));
  return bytes;
}

/// "" for null.
std::string to_string(JNIEnv* env, jbyteArray bytes) {
  if (bytes == nullptr) return {};
  std::string text(static_cast<size_t>(env->GetArrayLength(bytes)), '\0');
  env->GetByteArrayRegion(bytes, 0, static_cast<jsize>(text.size()), reinterpret_cast<jbyte*>(text.data()));
  return text;
}

/// Messages hold file names, whose bytes may be anything: a constructor of String takes them, ThrowNew may not.
void throw_to_java(JNIEnv* env, const char* type, const std::string& message) noexcept {
  try {
    jclass strings = checked(env, env->FindClass("java/lang/String"));
    jmethodID make_string = checked(env, env->GetMethodID(strings, "<init>", "([BLjava/lang/String;)V"));
    jbyteArray bytes = to_bytes(env, message);
    jstring encoding = checked(env, env->NewStringUTF("UTF-8"));
    jobject text = checked(env, env->NewObject(strings, make_string, bytes, encoding));
    jclass exceptions = checked(env, env->FindClass(type));
    jmethodID make = checked(env, env->GetMethodID(exceptions, "<init>", "(Ljava/lang/String;)V"));
    env->Throw(static_cast<jthrowable>(checked(env, env->NewObject(exceptions, make, text))));
  } catch (const JavaException&) {  // of these calls, and it waits
  }
}

/// What `work` gives, or a Java exception and zero.
template <class Work>
auto guarded(JNIEnv* env, const Work& work) noexcept -> decltype(work()) {
  try {
    return work();
  } catch (const JavaException&) {
  } catch (const WrongArgument& e) {
    throw_to_java(env, "java/lang/IllegalArgumentException", e.message);
  } catch (const std::bad_alloc&) {
    throw_to_java(env, "java/lang/OutOfMemoryError", "there is no memory left for Coracle");
  } catch (const std::exception& e) {
    throw_to_java(env, "java/lang/RuntimeException", e.what());
  } catch (...) {
    throw_to_java(env, "java/lang/RuntimeException", "Coracle failed without a message");
  }
  return decltype(work())();
}

lite::PaddlePredictor& predictor_at(jlong pointer) { return **reinterpret_cast<Predictor*>(pointer); }

/// A Tensor holds nothing but its place, and is made for each call.
std::unique_ptr<const lite::Tensor> tensor_at(jlong pointer, jboolean input, jint index) {
  if (input != JNI_FALSE) return predictor_at(pointer).GetInput(index);
  return predictor_at(pointer).GetOutput(index);
}

int64_t element_count(const lite::Tensor& tensor) {
  int64_t count = 1;
  for (const int64_t d : tensor.shape()) count *= d;
  return count;
}

/// `elements`: gives the memory of an input, whose elements count as set from then on.
template <class Element, class Array, class Elements>
void copy_to_input(JNIEnv* env, lite::Tensor& tensor, Array data, void (JNIEnv::*copy)(Array, jsize, jsize, Element*),
                   const Elements& elements) {
  const int64_t takes = element_count(tensor);
  const jsize given = env->GetArrayLength(data);
  if (takes != given) {
    throw WrongArgument{"setData: an input of shape " + paddle::detail::list_text(tensor.shape()) + " takes " +
                        std::to_string(takes) + " elements, given " + std::to_string(given) +
                        ": call resize with the shape of the data before"};
  }
  (env->*copy)(data, 0, given, static_cast<Element*>(static_cast<void*>(elements())));
}

template <class Array, class Element>
Array copy_of(JNIEnv* env, const lite::Tensor& tensor, const void* elements, Array (JNIEnv::*make)(jsize),
              void (JNIEnv::*copy)(Array, jsize, jsize, const Element*)) {
  const int64_t count = element_count(tensor);
  if (count > std::numeric_limits<jsize>::max()) {
    throw WrongArgument{"a tensor of " + std::to_string(count) + " elements is larger than an array of Java may be"};
  }
  Array array = checked(env, (env->*make)(static_cast<jsize>(count)));
  (env->*copy)(array, 0, static_cast<jsize>(count), static_cast<const Element*>(elements));
  return array;
}

/// Java has one type for bytes of all kinds. Another type is named by the exception of int8.
void* writable_bytes(lite::Tensor& tensor) {
  switch (tensor.precision()) {
    case lite::PrecisionType::kUInt8: return tensor.mutable_data<uint8_t>();
    case lite::PrecisionType::kBool: return tensor.mutable_data<bool>();
    default: return tensor.mutable_data<int8_t>();
  }
}
const void* readable_bytes(const lite::Tensor& tensor) {
  switch (tensor.precision()) {
    case lite::PrecisionType::kUInt8: return tensor.data<uint8_t>();
    case lite::PrecisionType::kBool: return tensor.data<bool>();
    default: return tensor.data<int8_t>();
  }
}

int find_name(const std::vector<std::string>& names, const std::string& name) {
  for (size_t i = 0; i < names.size(); ++i) {
    if (names[i] == name) return static_cast<int>(i);
  }
  return -1;
}

}  // namespace

#define CORACLE_PREDICTOR(result, name) \
  extern "C" JNIEXPORT result JNICALL Java_com_baidu_paddle_lite_PaddlePredictor_##name

extern "C" JNIEXPORT jint JNICALL JNI_OnLoad(JavaVM* /*vm*/, void* /*reserved*/) { return JNI_VERSION_1_6; }

extern "C" JNIEXPORT void JNICALL Java_com_baidu_paddle_lite_PredictorHandle_nativeFree(JNIEnv* /*env*/, jclass,
                                                                                        jlong pointer) {
  delete reinterpret_cast<Predictor*>(pointer);
}

CORACLE_PREDICTOR(jlong, nativeCreate)
(JNIEnv* env, jobject, jbyteArray path, jbyteArray content, jint threads, jbyteArray device) {
  return guarded(env, [&] {
    lite::MobileConfig config;
    if (threads < 1 || threads > 1024)
      throw WrongArgument{"setThreads takes 1 to 1024, given " + std::to_string(threads)};
    config.set_threads(threads);
    config.set_coracle_device(to_string(env, device));
    if (content != nullptr) {
      config.set_model_from_buffer(to_string(env, content));
    } else {
      config.set_model_from_file(to_string(env, path));
    }
    return reinterpret_cast<jlong>(std::make_unique<Predictor>(lite::CreatePaddlePredictor(config)).release());
  });
}

CORACLE_PREDICTOR(void, nativeCheck)(JNIEnv* env, jobject, jlong pointer, jboolean input, jint index) {
  guarded(env, [&] {
    try {
      tensor_at(pointer, input, index);
    } catch (const std::exception& e) {  // which lists the names there are
      throw WrongArgument{e.what()};
    }
  });
}

CORACLE_PREDICTOR(jint, nativeFind)(JNIEnv* env, jobject, jlong pointer, jbyteArray name) {
  return guarded(env, [&]() -> jint {
    const std::string wanted = to_string(env, name);
    const int output = find_name(predictor_at(pointer).GetOutputNames(), wanted);
    if (output >= 0) return output;
    const int input = find_name(predictor_at(pointer).GetInputNames(), wanted);
    return input >= 0 ? ~input : std::numeric_limits<jint>::min();
  });
}

CORACLE_PREDICTOR(void, nativeRun)(JNIEnv* env, jobject, jlong pointer) {
  guarded(env, [&] { predictor_at(pointer).Run(); });
}

CORACLE_PREDICTOR(void, nativeSave)(JNIEnv* env, jobject, jlong pointer, jbyteArray name) {
  guarded(env, [&] { predictor_at(pointer).SaveOptimizedModel(to_string(env, name)); });
}

CORACLE_PREDICTOR(jbyteArray, nativeVersion)(JNIEnv* env, jobject) {
  return guarded(env, [&] { return to_bytes(env, coracle_version()); });
}

CORACLE_PREDICTOR(jlongArray, nativeShape)(JNIEnv* env, jobject, jlong pointer, jboolean input, jint index) {
  return guarded(env, [&] {
    const std::vector<int64_t> shape = tensor_at(pointer, input, index)->shape();
    const std::vector<jlong> dims(shape.begin(), shape.end());
    jlongArray array = checked(env, env->NewLongArray(static_cast<jsize>(dims.size())));
    env->SetLongArrayRegion(array, 0, static_cast<jsize>(dims.size()), dims.data());
    return array;
  });
}

CORACLE_PREDICTOR(void, nativeResize)(JNIEnv* env, jobject, jlong pointer, jint index, jlongArray dims) {
  guarded(env, [&] {
    std::vector<jlong> shape(static_cast<size_t>(env->GetArrayLength(dims)));
    env->GetLongArrayRegion(dims, 0, static_cast<jsize>(shape.size()), shape.data());
    predictor_at(pointer).GetInput(index)->Resize({shape.begin(), shape.end()});
  });
}

/// The two functions of a type of elements.
#define CORACLE_ELEMENTS(plural, Java, array, element, writable, readable)                                          \
  CORACLE_PREDICTOR(void, nativeSet##plural)(JNIEnv * env, jobject, jlong pointer, jint index, array data) {        \
    guarded(env, [&] {                                                                                              \
      const std::unique_ptr<lite::Tensor> tensor = predictor_at(pointer).GetInput(index);                           \
      copy_to_input<element, array>(env, *tensor, data, &JNIEnv::Get##Java##ArrayRegion, [&] { return writable; }); \
    });                                                                                                             \
  }                                                                                                                 \
  CORACLE_PREDICTOR(array, nativeGet##plural)                                                                       \
  (JNIEnv * env, jobject, jlong pointer, jboolean input, jint index) {                                              \
    return guarded(env, [&] {                                                                                       \
      const std::unique_ptr<const lite::Tensor> tensor = tensor_at(pointer, input, index);                          \
      return copy_of<array, element>(env, *tensor, readable, &JNIEnv::New##Java##Array,                             \
                                     &JNIEnv::Set##Java##ArrayRegion);                                              \
    });                                                                                                             \
  }
CORACLE_ELEMENTS(Floats, Float, jfloatArray, jfloat, tensor->mutable_data<float>(), tensor->data<float>())
CORACLE_ELEMENTS(Bytes, Byte, jbyteArray, jbyte, writable_bytes(*tensor), readable_bytes(*tensor))
CORACLE_ELEMENTS(Ints, Int, jintArray, jint, tensor->mutable_data<int32_t>(), tensor->data<int32_t>())
CORACLE_ELEMENTS(Longs, Long, jlongArray, jlong, tensor->mutable_data<int64_t>(), tensor->data<int64_t>())
