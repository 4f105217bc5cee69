# SPDX-License-Identifier: Apache-2.0
# The folders that client projects of Paddle Inference expect, <root>/paddle/include and <root>/paddle/lib, as an install
# component of its own:
#   cmake --install BUILD --component paddle_layout --prefix ROOT
# libpaddle_inference.so is libcoracle under the name that such projects link.
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
install(CODE "
  set(lib \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/paddle/lib\")
  file(CREATE_LINK $<TARGET_FILE_NAME:coracle> \"\${lib}/libpaddle_inference.so\" SYMBOLIC)
" ${layout})
