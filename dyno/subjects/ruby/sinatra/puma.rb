# frozen_string_literal: true

require "etc"
require_relative "../dynoprobe/dynoprobe"

# Puma's guide: as many workers as CPUs, the application loaded before they are forked. Three
# threads each, as Rails has them by default since 7.2: more wait for Ruby's lock.
environment "production"
workers Etc.nprocessors
threads 3, 3
preload_app!
silence_single_worker_warning
log_requests false
on_worker_boot { Dynoprobe.start }
