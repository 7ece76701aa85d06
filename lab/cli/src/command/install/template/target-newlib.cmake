# With a newlib that was built for the processor, in the folder TAKTOS_NEWLIB: its headers come after those of POSIX, and each library has
# what the other one needs. The compiler's own headers come before newlib's of these names.
if(TAKTOS_NEWLIB AND NOT TARGET Taktos::{name}-newlib)
    execute_process(COMMAND ${CMAKE_C_COMPILER} -print-file-name=include
        OUTPUT_VARIABLE TAKTOS_COMPILER_INCLUDE OUTPUT_STRIP_TRAILING_WHITESPACE)
    add_library(Taktos::{name}-newlib STATIC IMPORTED)
    set_target_properties(Taktos::{name}-newlib PROPERTIES
        IMPORTED_LOCATION "${TAKTOS_NEWLIB}/lib/libc.a"
        INTERFACE_COMPILE_OPTIONS "SHELL:-isystem ${TAKTOS_COMPILER_INCLUDE} -isystem ${TAKTOS_NEWLIB}/include"
        INTERFACE_LINK_OPTIONS "{newlib}"
        INTERFACE_LINK_LIBRARIES "${TAKTOS_NEWLIB}/lib/libm.a;Taktos::{name}")
    set_property(TARGET Taktos::{name} APPEND PROPERTY INTERFACE_LINK_LIBRARIES Taktos::{name}-newlib)
endif()
