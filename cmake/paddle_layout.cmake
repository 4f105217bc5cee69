# SPDX-License-Identifier: Apache-2.0
# The folders that client projects of Paddle Inference expect, <root>/paddle/{include,lib} and <root>/third_party/install, as an
# install component of its own:
#   cmake --install BUILD --component paddle_layout --prefix ROOT
# Libraries that such projects name are libcoracle under their names where they are linked by path, and empty archives where they
# are linked by name: whatever they once held is in libcoracle or is not needed. glog, gflags and yaml-cpp are used by the
# projects themselves and come from the system.
set(layout COMPONENT paddle_layout EXCLUDE_FROM_ALL)
install(DIRECTORY ${CMAKE_SOURCE_DIR}/include/paddle/ DESTINATION paddle/include ${layout})
install(DIRECTORY ${CMAKE_SOURCE_DIR}/include/coracle DESTINATION paddle/include ${layout})
install(FILES ${CMAKE_SOURCE_DIR}/LICENSE ${CMAKE_SOURCE_DIR}/THIRD_PARTY_NOTICES DESTINATION paddle ${layout})
foreach(folder paddle experimental/paddle)  # where versions of Paddle have had it
  install(FILES ${CMAKE_SOURCE_DIR}/include/paddle/extension.h DESTINATION paddle/include/${folder} ${layout})
endforeach()
foreach(folder paddle experimental)
  install(DIRECTORY ${CMAKE_SOURCE_DIR}/include/paddle/phi DESTINATION paddle/include/${folder} ${layout})
endforeach()
# By file, not by target: a target has one place where it is installed to.
foreach(library coracle paddle_inference_c)
  install(FILES $<TARGET_FILE:${library}> DESTINATION paddle/lib PERMISSIONS
          OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE ${layout})
  install(CODE "
    set(lib \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/paddle/lib\")
    file(CREATE_LINK $<TARGET_FILE_NAME:${library}> \"\${lib}/$<TARGET_SONAME_FILE_NAME:${library}>\" SYMBOLIC)
    file(CREATE_LINK $<TARGET_SONAME_FILE_NAME:${library}> \"\${lib}/$<TARGET_LINKER_FILE_NAME:${library}>\" SYMBOLIC)
  " ${layout})
endforeach()
# The name of the C library before 2.0.
install(CODE "file(CREATE_LINK $<TARGET_LINKER_FILE_NAME:paddle_inference_c>
                   \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/paddle/lib/libpaddle_fluid_c.so\" SYMBOLIC)" ${layout})
install(FILES $<TARGET_FILE:coracle_static> DESTINATION paddle/lib RENAME libpaddle_inference.a ${layout})

# Linked by path, or copied beside a program, from paddle/lib and from folders of third_party/install.
set(linked_by_path
    paddle/lib/libpaddle_inference.so paddle/lib/libpaddle_fluid.so paddle/lib/libphi.so paddle/lib/libphi_core.so
    paddle/lib/libcommon.so
    third_party/install/mklml/lib/libmklml_intel.so third_party/install/mklml/lib/libiomp5.so
    third_party/install/mkldnn/lib/libmkldnn.so third_party/install/mkldnn/lib/libmkldnn.so.0
    third_party/install/mkldnn/lib/libdnnl.so third_party/install/mkldnn/lib/libdnnl.so.1
    third_party/install/mkldnn/lib/libdnnl.so.2 third_party/install/mkldnn/lib/libdnnl.so.3
    third_party/install/onednn/lib/libdnnl.so third_party/install/onednn/lib/libdnnl.so.3)
# Linked by name: protobuf is -lprotobuf with third_party/install/protobuf/lib among the folders, openblas a file.
set(linked_by_name protobuf xxhash cryptopp utf8proc zlib:z snappy snappystream openblas)
install(CODE "
  set(root \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}\")
  foreach(file ${linked_by_path})
    get_filename_component(folder \"\${root}/\${file}\" DIRECTORY)
    file(MAKE_DIRECTORY \"\${folder}\")
    file(RELATIVE_PATH target \"\${folder}\" \"\${root}/paddle/lib/$<TARGET_FILE_NAME:coracle>\")
    file(CREATE_LINK \"\${target}\" \"\${root}/\${file}\" SYMBOLIC)
  endforeach()
  foreach(library ${linked_by_name})
    string(REPLACE \":\" \";\" names \${library})
    list(GET names 0 folder)
    list(GET names -1 name)
    file(MAKE_DIRECTORY \"\${root}/third_party/install/\${folder}/include\")
    file(WRITE \"\${root}/third_party/install/\${folder}/lib/lib\${name}.a\" \"!<arch>\\n\")
  endforeach()
  foreach(folder mklml mkldnn onednn glog gflags yaml-cpp)
    file(MAKE_DIRECTORY \"\${root}/third_party/install/\${folder}/include\" \"\${root}/third_party/install/\${folder}/lib\")
  endforeach()
  set(version \"Coracle ${PROJECT_VERSION}\\n\")
  foreach(feature MKL MKLDNN ONEDNN GPU ROCM TENSORRT)
    string(APPEND version \"WITH_\${feature}: OFF\\n\")
  endforeach()
  file(WRITE \"\${root}/version.txt\" \"\${version}\")
  file(WRITE \"\${root}/paddle/version.txt\" \"\${version}\")
" ${layout})
