# Another compiler cannot be used: who tries is told so by this name.
if(NOT "${CMAKE_C_COMPILER_ID} ${CMAKE_CXX_COMPILER_ID}" MATCHES "Clang")
    set_target_properties(Taktos::{name} PROPERTIES
        INTERFACE_LINK_LIBRARIES Taktos::{name}-is-for-CMAKE_TOOLCHAIN_FILE-{chain}-clang.cmake)
endif()
