# SPDX-License-Identifier: Apache-2.0
"""Builds Coracle's libraries from this source tree: `conan create packaging/conan`.

With -o coracle/*:system_headers=True the libraries that the build needs (five of headers, and zlib) come from the system instead of
ConanCenter."""
import os

from conan import ConanFile
from conan.tools.build import check_min_cppstd
from conan.tools.cmake import CMake, CMakeToolchain, cmake_layout
from conan.tools.files import copy, load, rmdir

SOURCE = os.path.join("..", "..")


class CoracleRecipe(ConanFile):
    name = "coracle"
    description = "Runs trained PaddlePaddle models on the CPU"
    license = "Apache-2.0"
    topics = ("inference", "paddlepaddle", "machine-learning")
    package_type = "library"
    settings = "os", "compiler", "build_type", "arch"
    options = {"shared": [True, False], "system_headers": [True, False]}
    default_options = {"shared": True, "system_headers": False}
    implements = ["auto_shared_fpic"]

    def set_version(self):
        text = load(self, os.path.join(self.recipe_folder, SOURCE, "CMakeLists.txt"))
        self.version = text.split("project(coracle VERSION ")[1].split()[0]

    def export_sources(self):
        root = os.path.join(self.recipe_folder, SOURCE)
        for pattern in ("CMakeLists.txt", "LICENSE", "THIRD_PARTY_NOTICES", "cmake/*", "include/*", "src/*"):
            copy(self, pattern, root, self.export_sources_folder)

    def requirements(self):
        if not self.options.system_headers:
            self.requires("flatbuffers/[>=2.0 <26]", visible=False, headers=True, libs=False)
            self.requires("highway/[>=1.0 <2]", visible=False, headers=True, libs=False)
            self.requires("opencl-headers/[>=2022.09.30]", visible=False, headers=True, libs=False)
            self.requires("protozero/[>=1.7 <2]", visible=False)
            self.requires("rapidjson/[>=cci.20220822]", visible=False)
            self.requires("zlib/[>=1.2.13 <2]", visible=not self.options.shared)

    def build_requirements(self):
        if not self.options.system_headers:
            self.tool_requires("flatbuffers/<host_version>")  # its compiler of schemas

    def validate(self):
        check_min_cppstd(self, 17)  # of those who use it

    def layout(self):
        cmake_layout(self)

    def generate(self):
        toolchain = CMakeToolchain(self)
        toolchain.cache_variables.update(BUILD_TESTING=False, CORACLE_BUILD_PROGRAM=False, CORACLE_BUILD_VISION=False,
                                         CORACLE_BUILD_EXAMPLES=False,
                                         BUILD_SHARED_LIBS=bool(self.options.shared), CORACLE_INSTALL_STATIC=False)
        toolchain.blocks.remove("cppstd")  # the project asks for C++20 itself
        toolchain.generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        for file in ("LICENSE", "THIRD_PARTY_NOTICES"):
            copy(self, file, self.source_folder, os.path.join(self.package_folder, "licenses"))
        CMake(self).install()
        for folder in ("cmake", "pkgconfig"):  # Conan makes its own, of what package_info says
            rmdir(self, os.path.join(self.package_folder, "lib", folder))

    def package_info(self):
        # The targets of the project's own files for CMake.
        self.cpp_info.set_property("cmake_file_name", "coracle")
        system_libs = [] if self.options.shared else ["stdc++", "m", "pthread"]
        main = self.cpp_info.components["libcoracle"]
        main.set_property("cmake_target_name", "coracle::coracle")
        main.set_property("pkg_config_name", "coracle")
        main.libs = ["coracle"]
        main.system_libs = system_libs
        headers = self.cpp_info.components["paddle_inference"]
        headers.set_property("cmake_target_name", "coracle::paddle_inference")
        headers.requires = ["libcoracle"]
        headers.includedirs = [os.path.join("include", "paddle")]
        headers.libdirs = []
        lite = self.cpp_info.components["paddle_lite"]
        lite.set_property("cmake_target_name", "coracle::paddle_lite")
        lite.requires = ["libcoracle"]
        lite.includedirs = [os.path.join("include", "paddle_lite")]
        lite.libdirs = []
        paddle_c = self.cpp_info.components["paddle_inference_c"]
        paddle_c.set_property("cmake_target_name", "coracle::paddle_inference_c")
        paddle_c.set_property("pkg_config_name", "paddle_inference_c")
        paddle_c.requires = ["libcoracle"]
        paddle_c.includedirs = [os.path.join("include", "paddle")]
        paddle_c.libs = ["paddle_inference_c"]
        if self.options.shared:
            quantize = self.cpp_info.components["coracle_quantize"]
            quantize.set_property("cmake_target_name", "coracle::coracle_quantize")
            quantize.requires = ["libcoracle"]
            quantize.libs = ["coracle_quantize"]
