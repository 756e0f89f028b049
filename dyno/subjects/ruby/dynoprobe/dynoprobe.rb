# frozen_string_literal: true

# Tells dyno of Ruby's collections, where DYNO_PROBE_SOCKET names a socket. Each process
# that is measured calls Dynoprobe.start, after it was forked. dyno/docs/add-a-language.md
# describes what is said.

require "json"
require "socket"

module Dynoprobe
  TELLS = %w[gc_cycles alloc_objects helper_us].freeze

  def self.start
    path = ENV.fetch("DYNO_PROBE_SOCKET", "")
    Thread.new { tell(path) } unless path.empty?
  end

  # Responds until dyno has gone, or says something else than "sample".
  def self.tell(path)
    timed = GC.respond_to?(:total_time) # Ruby 3.1
    took = 0.0
    UNIXSocket.open(path) do |conn|
      say(conn, { dynoprobe: 1, pid: Process.pid, tells: timed ? TELLS + ["gc_pause"] : TELLS })
      while conn.gets("\n", 64) == "sample\n"
        began = now
        answer = { mono: began, gc_cycles: GC.count, allocs: GC.stat(:total_allocated_objects), self_us: took }
        answer[:gc_pause_s] = GC.total_time / 1e9 if timed
        say(conn, answer)
        took = (now - began) / 1e3
      end
    end
  rescue SystemCallError, IOError
    # dyno has gone
  end

  def self.say(conn, value) = conn.write(JSON.generate(value), "\n")

  # CLOCK_MONOTONIC in nanoseconds.
  def self.now = Process.clock_gettime(Process::CLOCK_MONOTONIC, :nanosecond)

  private_class_method :tell, :say, :now
end
