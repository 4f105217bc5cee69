# SPDX-License-Identifier: Apache-2.0
# What is installed, in components: runtime and vision (what programs load), dev (what they are built with) and tools. Nothing
# installed names the place it lies in, so that the tree may be moved.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/coracle)

option(CORACLE_INSTALL_STATIC "Install the static libraries beside the shared ones" ON)
set(libraries)
if(CORACLE_INSTALL_STATIC OR NOT BUILD_SHARED_LIBS)
  list(APPEND libraries coracle_static coracle_paddle_c_static)
endif()
if(BUILD_SHARED_LIBS)
  list(APPEND libraries coracle coracle_quantize paddle_inference_c)
endif()
foreach(library ${libraries} paddle_inference paddle_lite)
  target_include_directories(${library} INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  if(library STREQUAL "paddle_lite")
    target_include_directories(${library} INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/paddle_lite>)
  elseif(library MATCHES "paddle")
    target_include_directories(${library} INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/paddle>)
  endif()
endforeach()

install(TARGETS ${libraries} paddle_inference paddle_lite EXPORT coracleTargets
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT runtime NAMELINK_COMPONENT dev
        RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT runtime
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT dev)
if(WIN32)  # what MSVC links
  foreach(library coracle coracle_quantize coracle_vision paddle_inference_c)
    if(TARGET ${library})
      install(FILES ${CMAKE_ARCHIVE_OUTPUT_DIRECTORY}/${library}.lib ${CMAKE_ARCHIVE_OUTPUT_DIRECTORY}/${library}.def
              DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT dev)
    endif()
  endforeach()
endif()
if(TARGET coracle_vision)  # a component of its own: it loads libraries that the others do not need
  target_include_directories(coracle_vision INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  install(TARGETS coracle_vision EXPORT coracleTargets
          LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT vision NAMELINK_COMPONENT dev
          RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT vision
          ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT dev)
endif()
get_property(plugins GLOBAL PROPERTY CORACLE_PLUGINS)
foreach(plugin ${plugins})  # components of their own for the same reason; they lie where the library looks for them
  string(REGEX REPLACE "^coracle_" "" component ${plugin})
  install(TARGETS ${plugin} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT ${component})
endforeach()
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/coracle ${PROJECT_SOURCE_DIR}/include/paddle
                  ${PROJECT_SOURCE_DIR}/include/paddle_lite
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT dev)

install(EXPORT coracleTargets NAMESPACE coracle:: DESTINATION ${package_dir} COMPONENT dev)
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/coracleConfig.cmake.in
                              ${PROJECT_BINARY_DIR}/coracleConfig.cmake INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/coracleConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/coracleConfig.cmake ${PROJECT_BINARY_DIR}/coracleConfigVersion.cmake
        DESTINATION ${package_dir} COMPONENT dev)

# Paths from pkg-config's folder on, which ${pcfiledir} names.
file(RELATIVE_PATH up_to_prefix /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
string(REGEX REPLACE "/$" "" up_to_prefix ${up_to_prefix})
set(public_libs)
set(zlib_lib)
if(NOT CORACLE_ZLIB MATCHES "\\.a$")
  set(zlib_lib " -lz")
endif()
if(NOT BUILD_SHARED_LIBS)
  set(public_libs "${zlib_lib} -lstdc++ -lm -ldl -pthread")
endif()
foreach(name coracle paddle_inference_c)
  configure_file(${PROJECT_SOURCE_DIR}/cmake/${name}.pc.in ${PROJECT_BINARY_DIR}/${name}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/${name}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT dev)
endforeach()

# coracle_install_share(NAME PROPERTY COMPONENT): the manual and the completions of a program, from the folder CORACLE_<PROPERTY>_SHARE.
# The page of `coracle serve` is the server's.
function(coracle_install_share name property component)
  get_property(share GLOBAL PROPERTY CORACLE_${property}_SHARE)
  if(NOT share)
    return()
  endif()
  set(others)
  if(NOT component STREQUAL "serve")
    set(others PATTERN coracle-serve.1 EXCLUDE)
  endif()
  install(DIRECTORY ${share}/man/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT ${component} OPTIONAL
          FILES_MATCHING PATTERN "*.1" ${others})
  set(data ${CMAKE_INSTALL_DATAROOTDIR})
  install(FILES ${share}/bash/${name} DESTINATION ${data}/bash-completion/completions COMPONENT ${component} OPTIONAL)
  install(FILES ${share}/zsh/_${name} DESTINATION ${data}/zsh/site-functions COMPONENT ${component} OPTIONAL)
  install(FILES ${share}/fish/${name}.fish DESTINATION ${data}/fish/vendor_completions.d COMPONENT ${component} OPTIONAL)
endfunction()
if(TARGET coracle_program)
  file(RELATIVE_PATH to_libraries /prefix/${CMAKE_INSTALL_BINDIR} /prefix/${CMAKE_INSTALL_LIBDIR})
  set_target_properties(coracle_program PROPERTIES INSTALL_RPATH "${CORACLE_BESIDE}/${to_libraries}")
  install(TARGETS coracle_program RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT tools)
  if(NOT WIN32)
    install(FILES $<TARGET_FILE_DIR:coracle_program>/coracle-opt DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT tools)
  endif()
  coracle_install_share(coracle PROGRAM tools)
endif()
if(TARGET coracle_serve_program)  # a component of its own: it loads libraries that the others do not need
  file(RELATIVE_PATH to_libraries /prefix/${CMAKE_INSTALL_BINDIR} /prefix/${CMAKE_INSTALL_LIBDIR})
  set_target_properties(coracle_serve_program PROPERTIES INSTALL_RPATH "${CORACLE_BESIDE}/${to_libraries}")
  install(TARGETS coracle_serve_program RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT serve)
  coracle_install_share(coracle-serve SERVE serve)
  install(FILES ${PROJECT_SOURCE_DIR}/packaging/systemd/coracle-serve.service ${PROJECT_SOURCE_DIR}/packaging/systemd/coracle-serve.socket
          DESTINATION lib/systemd/system COMPONENT serve)
  install(FILES ${PROJECT_SOURCE_DIR}/packaging/systemd/serve.conf DESTINATION ${CMAKE_INSTALL_DATAROOTDIR}/doc/coracle-serve COMPONENT serve)
  if(TARGET coracle_serve_grpc)  # lies where the program looks for it
    install(TARGETS coracle_serve_grpc LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/coracle COMPONENT serve_grpc)
  endif()
endif()
if(TARGET coracle_triton)  # a folder of back ends, for --backend-directory
  install(TARGETS coracle_triton LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/coracle/triton/coracle COMPONENT triton)
endif()
if(BUILD_SHARED_LIBS AND NOT WIN32)  # its names are links
  include(${CMAKE_CURRENT_LIST_DIR}/paddle_layout.cmake)
endif()
