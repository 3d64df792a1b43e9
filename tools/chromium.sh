#!/bin/sh
# Starts Chromium for a test without the two hidden pages of the address bar that each new window
# loads: they take more processor time than a test's own page. Playwright gives the list of what is
# turned off, and of two lists Chromium takes the last.
for argument; do
  case $argument in
    --disable-features=*) argument="$argument,WebUIOmniboxPopup,WebUIOmniboxAimPopup,WebUIOmniboxFullPopup" ;;
  esac
  shift
  set -- "$@" "$argument"
done
exec "${SYSTEM_CHROMIUM_PATH:-/usr/bin/chromium}" "$@"
