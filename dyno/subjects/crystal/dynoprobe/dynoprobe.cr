# Tells dyno of the collections of Crystal's collector (bdwgc), where DYNO_PROBE_SOCKET names
# a socket. A program calls Dynoprobe.start once in each process.
# dyno/docs/add-a-language.md describes what is said.
require "json"
require "socket"

module Dynoprobe
  TELLS = %w(gc_cycles gc_pause gc_pause_max heap alloc_bytes helper_us)

  # GC_EventType of gc.h
  COLLECTION_START = 0
  COLLECTION_END   = 5

  @@began = 0_i64 # of the collection, ns
  @@cycles = 0_u64
  @@pause = 0_i64 # ns, added up
  @@longest = 0_i64

  # Called within collections, and so it may not allocate.
  def self.note(event : LibC::Int) : Nil
    if event == COLLECTION_START
      @@began = now
    elsif event == COLLECTION_END
      took = now - @@began
      @@cycles += 1
      @@pause += took
      @@longest = took if took > @@longest
    end
  end

  # CLOCK_MONOTONIC in nanoseconds.
  def self.now : Int64
    LibC.clock_gettime(LibC::CLOCK_MONOTONIC, out time)
    time.tv_sec.to_i64 * 1_000_000_000 + time.tv_nsec
  end

  def self.start : Nil
    path = ENV["DYNO_PROBE_SOCKET"]?
    return if path.nil? || path.empty?
    # Crystal's declaration leaves out what the collector passes: the event.
    callback = ->(event : LibC::Int) { Dynoprobe.note(event) }
    LibGC.set_on_collection_event(Proc(Nil).new(callback.pointer, Pointer(Void).null))
    spawn { tell(path) }
  end

  # Responds until dyno has gone, or says something else than "sample".
  private def self.tell(path : String) : Nil
    took = 0.0
    UNIXSocket.open(path) do |conn|
      conn.puts({dynoprobe: 1, pid: Process.pid, tells: TELLS}.to_json)
      while conn.gets(64, chomp: true) == "sample"
        began = now
        stats = GC.stats
        conn.puts({
          mono:           began,
          gc_cycles:      @@cycles,
          gc_pause_s:     @@pause / 1e9,
          gc_pause_max_s: @@longest / 1e9,
          heap:           stats.heap_size - stats.free_bytes,
          alloc_bytes:    stats.total_bytes,
          self_us:        took,
        }.to_json)
        @@longest = 0_i64
        took = (now - began) / 1e3
      end
    end
  rescue IO::Error
    # dyno has gone
  end
end
