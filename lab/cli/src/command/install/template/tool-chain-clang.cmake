# cmake -DCMAKE_TOOLCHAIN_FILE=.../lib/cmake/Taktos/{name}-clang.cmake: for the targets Taktos::BOARD-lto. Clang compiles, {name}-gcc links.
find_program(TAKTOS_CLANG clang)
find_program(TAKTOS_GCC {name}-gcc)
if(NOT TAKTOS_CLANG)
    message(FATAL_ERROR "clang is missing: install Debian's clang")
endif()
if(NOT TAKTOS_GCC)
    message(FATAL_ERROR "{name}-gcc is missing, which links: install Debian's {packages}")
endif()
set(CMAKE_SYSTEM_NAME Generic)
set(CMAKE_SYSTEM_PROCESSOR {processor})
foreach(language C CXX ASM)
    set(CMAKE_${language}_COMPILER ${TAKTOS_CLANG})
    set(CMAKE_${language}_COMPILER_TARGET {target})
    # Without the words of the compiler: the linker's are of another one.
    set(CMAKE_${language}_LINK_EXECUTABLE
        "${TAKTOS_GCC} <CMAKE_${language}_LINK_FLAGS> <LINK_FLAGS> <OBJECTS> -o <TARGET> <LINK_LIBRARIES>")
endforeach()
if({has_newlib})
    execute_process(COMMAND ${TAKTOS_GCC} -print-file-name=../include
        OUTPUT_VARIABLE TAKTOS_NEWLIB OUTPUT_STRIP_TRAILING_WHITESPACE)
    if(NOT IS_ABSOLUTE "${TAKTOS_NEWLIB}")
        message(FATAL_ERROR "{name}-gcc has no C library: install Debian's {packages}")
    endif()
    set(CMAKE_C_STANDARD_INCLUDE_DIRECTORIES "${TAKTOS_NEWLIB}")
    set(CMAKE_CXX_STANDARD_INCLUDE_DIRECTORIES "${TAKTOS_NEWLIB}")
endif()
# A program links with a board's linker script only.
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)
# What was installed beside this file is found.
get_filename_component(TAKTOS_PREFIX "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
list(APPEND CMAKE_PREFIX_PATH "${TAKTOS_PREFIX}")
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
