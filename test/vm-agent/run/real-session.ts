/** A session with a real shell, a real screen and our script, in a home of its own, as the agent makes it. */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect } from 'vitest';
import { systemClock } from '../../../node/system-clock.ts';
import type { RunState } from '../../../protocol/messages/run-state.ts';
import { type Keep, keepNothing } from '../../../vm-agent/disk/session-storage.ts';
import { shellEnvironment } from '../../../vm-agent/pty/shell-environment.ts';
import { spawnPty } from '../../../vm-agent/pty/spawn-pty.ts';
import { waitingForInput } from '../../../vm-agent/pty/waiting-for-input.ts';
import { inflateState } from '../../../vm-agent/screen/deflate.ts';
import { ScreenPool } from '../../../vm-agent/screen/pool.ts';
import { newId } from '../../../vm-agent/session/ids.ts';
import type { Session } from '../../../vm-agent/session/session.ts';
import { SessionManager } from '../../../vm-agent/session/session-manager.ts';
import { ScriptFolder } from '../../../vm-agent/shell/script-folder.ts';
import { shellMarks } from '../../../vm-agent/shell/shell-marks.ts';

const root = mkdtempSync(join(tmpdir(), 'holdfast-run-'));
const scripts = new ScriptFolder(join(root, 'scripts'));
const screens = new ScreenPool({ clock: systemClock });
const managers: SessionManager[] = [];
afterAll(async () => {
  for (const manager of managers) await manager.drain(3_000);
  rmSync(root, { recursive: true });
});

const UNHEARD = {
  resized() {},
  inputTaken() {},
  driverChanged() {},
  described() {},
  exited() {},
  changed() {},
  removed() {},
  askPresence() {},
  commandEnded() {},
  attentionChanged() {},
};

export class RealSession {
  readonly home = mkdtempSync(join(root, 'home-'));
  readonly session: Session;

  constructor(command: string, args: readonly string[] = [], keep: Keep = keepNothing) {
    // Otherwise fish reads all manuals of the machine at its first start.
    mkdirSync(join(this.home, '.local/share/fish/generated_completions'), { recursive: true });
    const manager = new SessionManager({
      spawn: spawnPty,
      markShell: shellMarks({ folder: scripts, without: () => {} }),
      openScreen: (size, options) => screens.open(size, { scrollbackLines: 1000, ...options }),
      keep,
      lookForWait: waitingForInput,
      clock: systemClock,
      limits: {
        historyBytes: 256 * 1024,
        maxSessions: 4,
        whenFull: 'refuse',
        orphanGraceMs: 0,
        idleTimeoutMs: 0,
        exitedKeepMs: 60_000,
      },
      defaults: {
        command: '/bin/sh',
        cwd: this.home,
        env: shellEnvironment({ PATH: process.env.PATH ?? '', HOME: this.home }),
      },
      events: UNHEARD,
      outputEvents: () => ({ frame() {}, subscribe() {}, unsubscribe() {}, mark() {}, owed() {} }) as never,
    });
    managers.push(manager);
    this.session = manager.create({ command, args, size: { cols: 80, rows: 24 } });
  }

  #typed = 0;

  /** A person types. */
  types(keys: string): void {
    const bytes = Buffer.from(keys);
    const person = { channel: 9, role: 'operator', name: 'Ann', instance: 'page', history: 'none' } as const;
    this.session.type({ ...person, describe: false, isScript: false }, this.#typed, bytes);
    this.#typed += bytes.length;
  }

  /** An assistant types. */
  async assistantTypes(text: string, { paste = false, id = 'one' } = {}): Promise<void> {
    const request = { assistant: { id, name: 'Codex' }, connection: id, act: newId(), waitMs: 20_000 };
    await this.session.assist.type(request, text, paste);
  }

  /** Resolves when the screen, with its history, has this. */
  async shows(pattern: RegExp): Promise<void> {
    await expect.poll(() => this.#text(), { timeout: 20_000 }).toMatch(pattern);
  }

  async #text(): Promise<string> {
    const taken = await this.session.snapshot({ format: 'text', scope: 'all' });
    return taken === undefined || taken === 'too large'
      ? ''
      : Buffer.from(inflateState(taken.deflated)).toString();
  }

  run(command: string, { act = newId(), waitMs = 20_000, id = 'one' } = {}): Promise<RunState> {
    return this.session.assist.run(
      { assistant: { id, name: 'Codex' }, connection: id, act, waitMs },
      command,
    );
  }
}
