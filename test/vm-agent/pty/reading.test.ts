import { describe, expect, it } from 'vitest';
import {
  AT_ONCE_MS,
  BESIDE_TYPING_MS,
  ECHO_MAX_BYTES,
  FULL_READ_BYTES,
  REST_MS,
  Reading,
  TYPING_FOR_MS,
} from '../../../vm-agent/pty/reading.ts';

const [shell, flood] = [{}, {}];
const MUCH = 4096;

describe('a terminal', () => {
  it('[P27] is read repeatedly for a while, except after an echo', () => {
    const reading = new Reading();
    expect(reading.until(flood, MUCH, 5)).toBe(5 + AT_ONCE_MS);
    expect(reading.until(flood, ECHO_MAX_BYTES, 5)).toBe(5 + AT_ONCE_MS);
    expect(reading.until(flood, ECHO_MAX_BYTES - 1, 5)).toBe(5);
    expect(reading.until(flood, 1, 5)).toBe(5);
  });

  it('[P27] is read only briefly while somebody types into another', () => {
    const reading = new Reading();
    reading.typed(shell, 0);
    expect(reading.until(flood, MUCH, 1)).toBe(1 + BESIDE_TYPING_MS);
    expect(reading.until(flood, MUCH, TYPING_FOR_MS)).toBe(TYPING_FOR_MS + AT_ONCE_MS);
  });

  it('[P27] is read as usual while somebody types into it: its output is what they wait for', () => {
    const reading = new Reading();
    reading.typed(shell, 0);
    reading.typed(flood, 1);
    expect(reading.until(flood, MUCH, 2)).toBe(2 + AT_ONCE_MS);
    expect(reading.until(shell, MUCH, 2)).toBe(2 + BESIDE_TYPING_MS);
  });

  it('[P27] pauses after much output while somebody types into another, and never otherwise', () => {
    const reading = new Reading();
    expect(reading.restMs(flood, MUCH, 1)).toBe(0);
    reading.typed(shell, 0);
    expect(reading.restMs(flood, MUCH, 1)).toBe(REST_MS);
    expect(reading.restMs(flood, FULL_READ_BYTES - 1, 1)).toBe(0);
    expect(reading.restMs(shell, MUCH, 1)).toBe(0);
    expect(reading.restMs(flood, MUCH, TYPING_FOR_MS)).toBe(0);
  });
});
