# SPDX-License-Identifier: Apache-2.0
# Packages made by CPack (`make packages`): a .deb of each component, and one archive of all that runs wherever it is
# unpacked.
set(CPACK_PACKAGE_VENDOR Coracle)
set(CPACK_PACKAGE_CONTACT "Coracle developers <coracle@localhost>" CACHE STRING "Maintainer of the packages: name <address>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "Runs trained PaddlePaddle models on the CPU")
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_GENERATOR DEB TGZ)
set(CPACK_STRIP_FILES ON)
string(TOLOWER "coracle-${PROJECT_VERSION}-${CMAKE_SYSTEM_NAME}-${CMAKE_SYSTEM_PROCESSOR}" CPACK_PACKAGE_FILE_NAME)
set(CPACK_COMPONENTS_ALL runtime dev tools)
set(vision)
if(TARGET coracle_vision)
  set(vision vision)
  list(APPEND CPACK_COMPONENTS_ALL vision)
endif()

set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_ENABLE_COMPONENT_DEPENDS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${CMAKE_LIBRARY_OUTPUT_DIRECTORY})  # where libcoracle is found
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_NAME libcoracle0)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_VISION_PACKAGE_NAME libcoracle-vision0)
set(CPACK_DEBIAN_VISION_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_VISION_PACKAGE_SUGGESTS "libfreetype6, fonts-wqy-microhei | fonts-noto-cjk")  # text in pictures
set(CPACK_DEBIAN_DEV_PACKAGE_NAME libcoracle-dev)
set(CPACK_DEBIAN_DEV_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEV_PACKAGE_SHLIBDEPS OFF)  # nothing in it is loaded
set(CPACK_DEBIAN_TOOLS_PACKAGE_NAME coracle-tools)
set(CPACK_DEBIAN_TOOLS_PACKAGE_SECTION utils)
# The notices are written as Debian's copyright files are.
foreach(name ${CPACK_COMPONENTS_ALL})
  string(TOUPPER ${name} component)
  set(doc_dir ${CMAKE_INSTALL_DATAROOTDIR}/doc/${CPACK_DEBIAN_${component}_PACKAGE_NAME})
  install(FILES ${PROJECT_SOURCE_DIR}/THIRD_PARTY_NOTICES COMPONENT ${name} RENAME copyright DESTINATION ${doc_dir})
  install(FILES ${PROJECT_SOURCE_DIR}/LICENSE COMPONENT ${name} DESTINATION ${doc_dir})
endforeach()

include(CPack)
cpack_add_component(runtime DESCRIPTION "Coracle's shared library, and the one with Paddle's C interface")
if(vision)
  cpack_add_component(vision DEPENDS runtime DESCRIPTION "Coracle's shared library for pictures: what models say of them")
endif()
cpack_add_component(dev DEPENDS runtime ${vision} DESCRIPTION
  "Headers of Coracle and of Paddle's interfaces, static libraries, files for CMake and pkg-config")
cpack_add_component(tools DEPENDS runtime DESCRIPTION "The program coracle: inspects, runs and measures models")
