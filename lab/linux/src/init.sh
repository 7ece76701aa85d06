#!/bin/sh
# The guest's first program: reads its job from the kernel's command line, does it, and
# switches the machine off. Linux's own init system, udev and logins have no part in it.
export PATH=/bin HOME=/ PS1='linux# '
mount -t proc proc /proc
mount -t sysfs sys /sys
mount -t devtmpfs dev /dev
mkdir /dev/shm
mount -t tmpfs shm /dev/shm

job=shell loops=1000 interval=1000 phase=0 threads= burners= bytes= seconds=
for word in $(cat /proc/cmdline); do
    value=${word#*=}
    case $word in
        taktos.job=*) job=$value ;;
        taktos.loops=*) loops=$value ;;
        taktos.interval=*) interval=$value ;;
        taktos.phase=*) phase=$value ;;
        taktos.threads=*) threads=$value ;;
        taktos.burners=*) burners=$value ;;
        taktos.bytes=*) bytes=$value ;;
        taktos.seconds=*) seconds=$value ;;
    esac
done

# Switches the machine off when its console has sent everything: setting a terminal waits for that.
off() {
    stty -F /dev/console opost
    poweroff -f
}

# Hundredths of a second that the processors have been idle, all together.
idle() {
    read -r _ since </proc/uptime
    part=${since#*.}
    echo $((100 * ${since%.*} + ${part#0}))
}

# The kernel goes on setting itself up for half a second after this script begins, and takes all
# the time that it gets: waits until the processors are idle for four fifths of 200 ms, 10 s at most.
settle() {
    windows=50
    while [ "$windows" -gt 0 ]; do
        before=$(idle)
        sleep 0.2
        [ $(($(idle) - before)) -lt $((16 * $(nproc))) ] || break
        windows=$((windows - 1))
    done
}

# Loops in user mode that never rest, as many as there are processors unless told.
burn() {
    left=${burners:-$(nproc)}
    while [ "$left" -gt 0 ]; do
        while :; do :; done &
        left=$((left - 1))
    done
}

# Wake-ups lie $phase us after each interval, counted from a full second; all threads of
# one interval wake together. The whole output goes between the two marked lines, but for the
# lines of latencies that never occurred: the histogram is long, since beside a neighbour a
# wake-up can be a hundred milliseconds late.
measure() {
    echo 'taktos: cyclictest begins'
    cyclictest --mlockall --quiet --affinity --threads=${threads:-$(nproc)} --priority=99 \
        --interval="$interval" --loops="$loops" --histogram=200000 --secaligned="$phase" >/tmp/cyclictest
    status=$?
    grep -v '^...... [0[:space:]]*$' /tmp/cyclictest
    echo "taktos: cyclictest ends $status"
}

if [ -n "$seconds" ]; then
    (sleep "$seconds"; off) &
fi
case $job in
    shell)
        busybox --install -s /bin
        echo 'taktos: shell'
        setsid -c sh
        ;;
    cyclictest)
        settle
        measure
        ;;
    busy)
        echo 'taktos: busy'
        burn
        wait
        ;;
    busy+cyclictest)
        settle
        burn
        measure
        ;;
    channel)
        stty -F /dev/ttyAMA1 raw -echo
        echo 'taktos: channel'
        if [ -n "$bytes" ]; then
            dd bs=1 count="$bytes" status=none </dev/ttyAMA1 >/dev/ttyAMA1
        else
            cat </dev/ttyAMA1 >/dev/ttyAMA1
        fi
        ;;
    *) echo "taktos: no job is called $job" ;;
esac
off
