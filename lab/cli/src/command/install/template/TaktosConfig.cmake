# Taktos for C programs:
#
#   find_package(Taktos REQUIRED)
#   add_executable(blinky main.c)
#   target_link_libraries(blinky PRIVATE Taktos::mps2-an386)
#   taktos_emulate(blinky mps2-an386)      # cmake --build build --target run-blinky
#
# A program of FreeRTOS's links Taktos::FreeRTOS, too: the headers FreeRTOS.h, task.h and so on.
#
# A program of POSIX threads links Taktos::POSIX, too: the headers pthread.h, semaphore.h and so on; its main is a thread then.
#
# A program that hands floating-point values over in registers of their own takes Taktos::BOARD-hard.

# The target run-NAME: the program NAME on its board, in the emulator.
function(taktos_emulate NAME BOARD)
    get_target_property(emulator Taktos::${BOARD} TAKTOS_EMULATOR)
    add_custom_target(run-${NAME}
        COMMAND ${emulator} -kernel $<TARGET_FILE:${NAME}>
        DEPENDS ${NAME}
        USES_TERMINAL
        COMMAND_EXPAND_LISTS)
endfunction()

get_filename_component(TAKTOS_PREFIX "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)

if(NOT TARGET Taktos::FreeRTOS)
    add_library(Taktos::FreeRTOS INTERFACE IMPORTED)
    set_target_properties(Taktos::FreeRTOS PROPERTIES
        INTERFACE_INCLUDE_DIRECTORIES "${TAKTOS_PREFIX}/include/freertos")
endif()
if(NOT TARGET Taktos::POSIX)
    add_library(Taktos::POSIX INTERFACE IMPORTED)
    set_target_properties(Taktos::POSIX PROPERTIES
        INTERFACE_INCLUDE_DIRECTORIES "${TAKTOS_PREFIX}/include/posix"
        INTERFACE_LINK_OPTIONS "-Wl,--undefined=taktos_run_main_in_thread;-Wl,--defsym=_taktos_run_main=taktos_run_main_in_thread")
endif()
