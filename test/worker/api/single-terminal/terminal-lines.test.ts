/** How the workspaces of an isolate share the rate of their terminals. */
import { describe, expect, it } from 'vitest';
import {
  TERMINAL_WRITE_COST_BYTES,
  WORKSPACE_TERMINALS_AHEAD_MAX_BYTES,
} from '../../../../protocol/limits.ts';
import { TerminalLines } from '../../../../worker/api/single-terminal/terminal-lines.ts';

const PER_S = 8 * 1024 * 1024;
const FRAME = 64 * 1024 - TERMINAL_WRITE_COST_BYTES;

describe('the shared rate of terminals', () => {
  it('[SEC21] [X4] [RL23] a workspace that has sent a minute ahead leaves another its half', () => {
    const lines = new TerminalLines(PER_S);
    for (let sent = 0; sent < 60 * PER_S; sent += FRAME) lines.of('hostile').sent(FRAME, 0);
    expect(lines.of('other').sent(FRAME, 0)).toBeCloseTo((2 * 64 * 1024 * 1000) / PER_S);
    // At half the rate, and what it sends then is not delayed.
    expect(lines.of('other').sent(FRAME, 1_000)).toBeCloseTo((2 * 64 * 1024 * 1000) / PER_S);
  });

  it('[X4] [RL23] a workspace alone has all of it, also once others have nothing in flight', () => {
    const lines = new TerminalLines(PER_S);
    lines.of('other').sent(FRAME, 0);
    expect(lines.of('one').sent(PER_S - TERMINAL_WRITE_COST_BYTES, 100)).toBe(1_000);
    expect(lines.busyWorkspaces).toBe(1);
    expect(lines.of('one').isTooFarAhead(60_000)).toBe(false);
    expect(lines.busyWorkspaces).toBe(0);
  });

  it('[SEC21] [RL23] detects a machine that sends without being asked for more, until that would have been sent', () => {
    const lines = new TerminalLines(PER_S);
    const line = lines.of('hostile');
    let sent = 0;
    for (; !line.isTooFarAhead(0); sent += FRAME) line.sent(FRAME, 0);
    expect(sent).toBeLessThanOrEqual(WORKSPACE_TERMINALS_AHEAD_MAX_BYTES);
    expect(lines.of('other').isTooFarAhead(0)).toBe(false);
    expect(line.isTooFarAhead(1_000)).toBe(false);
  });

  it('[SEC21] [RL23] counts nearly empty frames too', () => {
    const line = new TerminalLines(PER_S).of('hostile');
    let frames = 0;
    for (; !line.isTooFarAhead(0); frames++) line.sent(1, 0);
    expect(frames).toBeLessThan(140_000);
  });
});
