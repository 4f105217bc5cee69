// SPDX-License-Identifier: Apache-2.0
// A model that lies encrypted on disk, by AES-256-GCM of OpenSSL, and is decrypted into memory alone:
//   encrypted_model encrypt KEY MODEL FILE   KEY is a file of 32 bytes
//   encrypted_model run KEY FILE             runs the model on ones and prints the first values of each output
// FILE is a nonce of 12 bytes, the encrypted model, and a tag of 16 bytes, which tells a wrong key and any change.
#include <openssl/evp.h>
#include <openssl/rand.h>

#include <algorithm>
#include <array>
#include <coracle/coracle.hpp>
#include <cstddef>
#include <fstream>
#include <iostream>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using Bytes = std::vector<unsigned char>;
using Cipher = std::unique_ptr<EVP_CIPHER_CTX, decltype(&EVP_CIPHER_CTX_free)>;

constexpr std::size_t kKey = 32;
constexpr std::size_t kNonce = 12;
constexpr std::size_t kTag = 16;
constexpr std::size_t kBlock = std::size_t{1} << 16;

void require(bool right, const std::string& message) {
  if (!right) throw std::runtime_error(message);
}

/// Zeros its bytes when they are not needed any more.
struct Secret {
  explicit Secret(std::size_t size) : bytes(size) {}
  Secret(const Secret&) = delete;
  Secret& operator=(const Secret&) = delete;
  ~Secret() { OPENSSL_cleanse(bytes.data(), bytes.size()); }
  Bytes bytes;
};

std::ifstream open_file(const std::string& path, std::size_t& size) {
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  require(file.is_open(), "cannot open " + path);
  size = static_cast<std::size_t>(file.tellg());
  file.seekg(0);
  return file;
}

void read(std::ifstream& file, const std::string& path, unsigned char* to, std::size_t size) {
  file.read(reinterpret_cast<char*>(to), static_cast<std::streamsize>(size));
  require(file.good(), "cannot read " + path);
}

std::unique_ptr<Secret> read_key(const std::string& path) {
  std::size_t size = 0;
  std::ifstream file = open_file(path, size);
  require(size == kKey, path + " has " + std::to_string(size) + " bytes, a key has 32");
  auto key = std::make_unique<Secret>(kKey);
  read(file, path, key->bytes.data(), kKey);
  return key;
}

Cipher make_cipher(const Secret& key, const Bytes& nonce, bool encrypts) {
  Cipher cipher(EVP_CIPHER_CTX_new(), EVP_CIPHER_CTX_free);
  require(cipher != nullptr && EVP_CipherInit_ex(cipher.get(), EVP_aes_256_gcm(), nullptr, key.bytes.data(),
                                                 nonce.data(), encrypts ? 1 : 0) == 1,
          "OpenSSL has no AES-256-GCM");
  return cipher;
}

void encrypt(const Secret& key, const std::string& from, const std::string& to) {
  std::size_t left = 0;
  std::ifstream model = open_file(from, left);
  Bytes nonce(kNonce);
  require(RAND_bytes(nonce.data(), static_cast<int>(kNonce)) == 1, "OpenSSL has no random numbers");
  const Cipher cipher = make_cipher(key, nonce, true);
  std::ofstream out(to, std::ios::binary);
  const auto write = [&out](const Bytes& bytes, std::size_t size) {
    out.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(size));
  };
  write(nonce, kNonce);
  Bytes block(kBlock);
  int written = 0;
  for (std::size_t size = 0; left > 0; left -= size) {
    size = std::min(kBlock, left);
    read(model, from, block.data(), size);
    require(EVP_EncryptUpdate(cipher.get(), block.data(), &written, block.data(), static_cast<int>(size)) == 1,
            "cannot encrypt " + from);
    write(block, size);
  }
  require(EVP_EncryptFinal_ex(cipher.get(), block.data(), &written) == 1 &&
              EVP_CIPHER_CTX_ctrl(cipher.get(), EVP_CTRL_GCM_GET_TAG, static_cast<int>(kTag), block.data()) == 1,
          "cannot encrypt " + from);
  write(block, kTag);
  require(out.flush().good(), "cannot write " + to);
}

/// The encrypted file is read block by block: the model is in memory once.
std::unique_ptr<Secret> decrypt(const Secret& key, const std::string& path) {
  std::size_t size = 0;
  std::ifstream file = open_file(path, size);
  require(size >= kNonce + kTag, path + " has " + std::to_string(size) + " bytes and is no encrypted model");
  Bytes nonce(kNonce);
  read(file, path, nonce.data(), kNonce);
  const Cipher cipher = make_cipher(key, nonce, false);
  auto model = std::make_unique<Secret>(size - kNonce - kTag);
  Bytes block(kBlock);
  int written = 0;
  for (std::size_t at = 0; at < model->bytes.size(); at += static_cast<std::size_t>(written)) {
    const std::size_t next = std::min(kBlock, model->bytes.size() - at);
    read(file, path, block.data(), next);
    require(
        EVP_DecryptUpdate(cipher.get(), model->bytes.data() + at, &written, block.data(), static_cast<int>(next)) == 1,
        "cannot decrypt " + path);
  }
  Bytes tag(kTag);
  read(file, path, tag.data(), kTag);
  require(EVP_CIPHER_CTX_ctrl(cipher.get(), EVP_CTRL_GCM_SET_TAG, static_cast<int>(kTag), tag.data()) == 1 &&
              EVP_DecryptFinal_ex(cipher.get(), block.data(), &written) == 1,
          "the key is not that of " + path + ", or the file was changed");
  return model;
}

void run(const Secret& key, const std::string& path) {
  std::unique_ptr<Secret> bytes;  // outlives the model, which uses them where they are
  std::string failure;
  const coracle::ReadFunction read_file =
      [&](const std::string& name) -> std::optional<coracle::Span<const std::byte>> {
    if (name != path) return std::nullopt;  // there are no other files, which might have its parameters
    try {
      bytes = decrypt(key, name);
    } catch (const std::exception& e) {  // read functions may not throw
      failure = e.what();
      return std::nullopt;
    }
    return coracle::Span<const std::byte>(reinterpret_cast<const std::byte*>(bytes->bytes.data()), bytes->bytes.size());
  };
  std::optional<coracle::Model> model;
  try {
    model.emplace(read_file, path);
  } catch (const coracle::Exception&) {
    if (!failure.empty()) throw std::runtime_error(failure);
    throw;
  }
  coracle::Session session(*model);
  const std::vector<coracle::TensorInfo> inputs = model->inputs();
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    std::vector<std::int64_t> shape = inputs[i].dims;
    std::size_t count = 1;
    for (std::int64_t& d : shape) {
      d = std::max<std::int64_t>(d, 1);
      count *= static_cast<std::size_t>(d);
    }
    session.set_input(i, shape, std::vector<float>(count, 1.0F));
  }
  session.run();
  const std::vector<coracle::TensorInfo> outputs = model->outputs();
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const std::vector<float> values = session.output(i).copy<float>();
    std::cout << outputs[i].name << ":";
    for (std::size_t k = 0; k < std::min<std::size_t>(values.size(), 4); ++k) std::cout << " " << values[k];
    std::cout << "\n";
  }
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  try {
    if (arguments.size() == 4 && arguments[0] == "encrypt") {
      encrypt(*read_key(arguments[1]), arguments[2], arguments[3]);
    } else if (arguments.size() == 3 && arguments[0] == "run") {
      run(*read_key(arguments[1]), arguments[2]);
    } else {
      std::cerr << "usage: encrypted_model encrypt KEY MODEL FILE | run KEY FILE\n";
      return 2;
    }
  } catch (const std::exception& e) {
    std::cerr << "encrypted_model: " << e.what() << "\n";
    return 1;
  }
  return 0;
}
