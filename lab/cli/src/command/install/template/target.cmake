
if(NOT TARGET Taktos::{name})
    add_library(Taktos::{name} STATIC IMPORTED)
    set_target_properties(Taktos::{name} PROPERTIES
        IMPORTED_LOCATION "${TAKTOS_PREFIX}/lib/{name}/libtaktos.a"
        INTERFACE_INCLUDE_DIRECTORIES "${TAKTOS_PREFIX}/include"
        INTERFACE_COMPILE_OPTIONS "{compile}"
        INTERFACE_LINK_OPTIONS "{link};-T;${TAKTOS_PREFIX}/lib/{name}/taktos.ld"
        INTERFACE_LINK_DEPENDS "${TAKTOS_PREFIX}/lib/{name}/taktos.ld"
        TAKTOS_EMULATOR "{emulator}")
endif()
