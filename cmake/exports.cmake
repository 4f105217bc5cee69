# SPDX-License-Identifier: Apache-2.0
# coracle_exports(TARGET MAP WORD PREFIX HEADER...): the library TARGET exports what the linker's script MAP says. Windows' linkers take a list of
# names instead, lib/TARGET.def, of the functions <PREFIX>_* that are declared with WORD in the HEADERs; and the import library TARGET.lib is made
# of it, which MSVC links as well.
function(coracle_exports target map word prefix)
  if(NOT WIN32)
    target_link_options(${target} PRIVATE LINKER:--version-script=${map})
    return()
  endif()
  set(names)
  foreach(header IN LISTS ARGN)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${header})
    file(READ ${header} text)
    string(REGEX MATCHALL "${word}[^;{}#]*[ *]${prefix}_[A-Za-z0-9_]+\\(" declarations "${text}")
    string(REGEX MATCHALL "__asm__\\(\"${prefix}_[A-Za-z0-9_]+\"\\)" renamed "${text}")
    foreach(declaration IN LISTS renamed)
      string(REGEX MATCH "${prefix}_[A-Za-z0-9_]+" name "${declaration}")
      list(APPEND names ${name})
    endforeach()
    foreach(declaration IN LISTS declarations)
      string(REGEX MATCH "(${prefix}_[A-Za-z0-9_]+)\\($" name "${declaration}")
      list(APPEND names ${CMAKE_MATCH_1})
    endforeach()
  endforeach()
  list(REMOVE_DUPLICATES names)
  list(SORT names)
  list(JOIN names "\n" names)
  set(definitions ${CMAKE_ARCHIVE_OUTPUT_DIRECTORY}/${target}.def)
  file(CONFIGURE OUTPUT ${definitions} CONTENT "LIBRARY ${target}.dll\nEXPORTS\n${names}\n" @ONLY)
  target_sources(${target} PRIVATE ${definitions})
  set_target_properties(${target} PROPERTIES PREFIX "")  # coracle.dll
  add_custom_command(TARGET ${target} POST_BUILD VERBATIM BYPRODUCTS ${CMAKE_ARCHIVE_OUTPUT_DIRECTORY}/${target}.lib
    COMMAND ${CMAKE_DLLTOOL} -m i386:x86-64 -d ${definitions} -l ${CMAKE_ARCHIVE_OUTPUT_DIRECTORY}/${target}.lib)
endfunction()
