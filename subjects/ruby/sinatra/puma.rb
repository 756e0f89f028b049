# frozen_string_literal: true

require "etc"
require_relative "../dynoprobe/dynoprobe"

# Puma's guide: as many workers as CPUs, five threads each, the application loaded before
# they are forked.
environment "production"
workers Etc.nprocessors
threads 5, 5
preload_app!
silence_single_worker_warning
log_requests false
on_worker_boot { Dynoprobe.start }
