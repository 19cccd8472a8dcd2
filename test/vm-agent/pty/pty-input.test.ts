/**
 * Input that waits, with a pipe that fills up as a terminal does: the system decides what it takes, only time is
 * simulated.
 */
import { execFileSync } from 'node:child_process';
import { closeSync, constants, mkdtempSync, openSync, readSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  ANSWER_BACKLOG_MAX_BYTES,
  INPUT_BACKLOG_MAX_BYTES,
  SIGNAL_FRAME_MAX_BYTES,
} from '../../../protocol/limits.ts';
import { PtyInput } from '../../../vm-agent/pty/pty-input.ts';

/** More than a pipe holds, which is 64 KiB. */
const TOO_MUCH = 100_000;

let dir: string;
let fd: number;
beforeEach(() => {
  vi.useFakeTimers();
  dir = mkdtempSync(join(tmpdir(), 'holdfast-input-'));
  execFileSync('mkfifo', [join(dir, 'pipe')]);
  fd = openSync(join(dir, 'pipe'), constants.O_RDWR | constants.O_NONBLOCK);
});
afterEach(() => {
  vi.useRealTimers();
  closeSync(fd);
  rmSync(dir, { recursive: true });
});

/** The program reads what there is, up to so many bytes. */
function reads(atMost = 2 ** 20): Buffer {
  const room = Buffer.alloc(atMost);
  try {
    return room.subarray(0, readSync(fd, room));
  } catch {
    return room.subarray(0, 0);
  }
}

/** Numbered, so that a misplaced byte is detected. */
const numbered = (length: number, from = 0) => Uint8Array.from({ length }, (_, i) => (from + i) % 251);

describe('input', () => {
  it('[IN5] is typed at once if there is room, and reported', () => {
    const input = new PtyInput(fd);
    const taken = vi.fn();
    input.write(numbered(10), taken);
    expect(taken).toHaveBeenCalledTimes(1);
    expect(input.backlogBytes).toBe(0);
    expect(vi.getTimerCount()).toBe(0);
    expect([...reads()]).toEqual([...numbered(10)]);
  });

  it('[IN5] waits if there is none, in order, is counted, and is reported when all of it was taken', () => {
    const input = new PtyInput(fd);
    const taken: string[] = [];
    input.write(numbered(TOO_MUCH), () => taken.push('first'));
    const first = reads();
    expect(input.backlogBytes).toBe(TOO_MUCH - first.length);
    // There is room now, but it is not its turn yet.
    input.write(numbered(5, TOO_MUCH), () => taken.push('second'));
    input.write(numbered(0), () => taken.push('nothing'));
    expect(reads()).toHaveLength(0);
    expect(input.backlogBytes - (TOO_MUCH - first.length)).toBe(2 * 256); // for the short one and the one of nothing
    expect(taken).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(taken).toEqual(['first', 'second', 'nothing']);
    expect(input.backlogBytes).toBe(0);
    expect(Buffer.concat([first, reads()]).equals(numbered(TOO_MUCH + 5))).toBe(true);
    expect(vi.getTimerCount()).toBe(0);
  });

  it.each([0, 1])(
    '[IN5] of %i bytes counts for more while it waits, so that its backlog is limited',
    (length) => {
      const input = new PtyInput(fd);
      input.write(numbered(TOO_MUCH), () => {});
      let frames = 0;
      for (; input.backlogBytes <= INPUT_BACKLOG_MAX_BYTES && frames < 100_000; frames++)
        input.write(numbered(length), () => {});
      expect(frames).toBeLessThan(5_000);
      for (let turns = 0; turns < 10; turns++) {
        reads();
        vi.advanceTimersByTime(100);
      }
      expect([input.backlogBytes, vi.getTimerCount()]).toEqual([0, 0]);
    },
  );

  it('is copied', () => {
    const input = new PtyInput(fd);
    const frame = numbered(TOO_MUCH);
    input.write(frame, () => {});
    frame.fill(255);
    const first = reads();
    vi.advanceTimersByTime(1);
    expect(Buffer.concat([first, reads()]).equals(numbered(TOO_MUCH))).toBe(true);
  });

  /** How long until it is tried again. */
  function nextTry(): number {
    const before = Date.now();
    vi.advanceTimersToNextTimer();
    return Date.now() - before;
  }

  it('is retried more and more slowly while nothing is taken, and soon once something was', () => {
    const input = new PtyInput(fd);
    input.write(numbered(3 * TOO_MUCH), () => {});
    const stuck = input.backlogBytes;
    expect(Array.from({ length: 10 }, nextTry)).toEqual([1, 2, 4, 8, 16, 32, 64, 100, 100, 100]);
    expect(input.backlogBytes).toBe(stuck);
    const first = reads().length;
    expect(nextTry()).toBe(100);
    expect(input.backlogBytes).toBe(stuck - first);
    reads();
    expect(nextTry()).toBe(1);
    expect(input.backlogBytes).toBe(stuck - 2 * first);
  });

  it('that was dropped is neither typed nor reported, and not retried', () => {
    const input = new PtyInput(fd);
    const taken = vi.fn();
    input.write(numbered(TOO_MUCH), taken);
    const first = reads().length;
    input.drop();
    expect(input.backlogBytes).toBe(0);
    expect(vi.getTimerCount()).toBe(0);
    vi.advanceTimersByTime(1_000);
    expect(first).toBeGreaterThan(0);
    expect(reads()).toHaveLength(0);
    expect(taken).not.toHaveBeenCalled();
  });

  describe('answers to a program that queries and does not read', () => {
    const ANSWER = Buffer.from('\x1b[24;80R');

    /** A terminal that takes nothing. */
    function full(stuck = vi.fn()): PtyInput {
      const input = new PtyInput(fd, stuck);
      input.write(numbered(TOO_MUCH), () => {});
      return input;
    }

    it('[X6] are kept up to four kilobytes, and not counted as typed', () => {
      const input = full();
      const typed = input.backlogBytes;
      for (let i = 0; i < 10_000; i++) input.answer(ANSWER);
      expect(input.backlogBytes).toBe(typed);
      const first = reads();
      vi.advanceTimersByTime(1);
      const rest = reads();
      const answers = first.length + rest.length - TOO_MUCH;
      expect(answers).toBeLessThanOrEqual(ANSWER_BACKLOG_MAX_BYTES);
      expect(answers).toBe(Math.floor(ANSWER_BACKLOG_MAX_BYTES / ANSWER.length) * ANSWER.length);
    });

    it('[X6] are given again once it reads', () => {
      const input = full();
      for (let i = 0; i < 10_000; i++) input.answer(ANSWER);
      reads();
      vi.advanceTimersByTime(1);
      reads();
      input.answer(ANSWER);
      expect(reads().equals(ANSWER)).toBe(true);
    });

    it('[X6] a key that may be a signal is reported once it has waited behind unread input', () => {
      const stuck = vi.fn();
      const input = full(stuck);
      input.write(Buffer.from('x'), () => {});
      input.write(Buffer.from('\x03'), () => {});
      expect(stuck).not.toHaveBeenCalled();
      vi.advanceTimersByTime(1_000);
      expect(stuck.mock.calls).toEqual([[3]]);
      input.write(Buffer.from('\x1a'), () => {});
      expect(stuck.mock.calls).toEqual([[3], [0x1a]]);
      input.write(new Uint8Array(SIGNAL_FRAME_MAX_BYTES + 1).fill(3), () => {});
      expect(stuck, 'a paste is no key').toHaveBeenCalledTimes(2);
    });

    it('[X6] a key that the program reads is not reported', () => {
      const stuck = vi.fn();
      const input = full(stuck);
      input.write(Buffer.from('\x03'), () => {});
      reads();
      vi.advanceTimersByTime(1);
      input.write(numbered(TOO_MUCH), () => {});
      vi.advanceTimersByTime(1_000);
      expect(stuck).not.toHaveBeenCalled();
    });

    it('[X6] input that an interrupt discards counts as taken', () => {
      const input = new PtyInput(fd);
      const taken: string[] = [];
      input.write(numbered(TOO_MUCH), () => taken.push('paste'));
      input.write(Buffer.from('\x03'), () => taken.push('key'));
      reads();
      input.flush();
      expect([taken, input.backlogBytes, vi.getTimerCount()]).toEqual([['paste', 'key'], 0, 0]);
      input.write(numbered(3), () => taken.push('next'));
      expect([...reads()]).toEqual([0, 1, 2]);
    });
  });
});
