# cmake -DCMAKE_TOOLCHAIN_FILE=.../lib/cmake/Taktos/{name}.cmake
set(CMAKE_SYSTEM_NAME Generic)
set(CMAKE_SYSTEM_PROCESSOR {processor})
set(CMAKE_C_COMPILER {name}-gcc)
set(CMAKE_CXX_COMPILER {name}-g++)
set(CMAKE_ASM_COMPILER {name}-gcc)
# A program links with a board's linker script only.
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)
# What was installed beside this file is found.
get_filename_component(TAKTOS_PREFIX "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
list(APPEND CMAKE_PREFIX_PATH "${TAKTOS_PREFIX}")
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
