/** When a session's commands are written to disk, and how often. */
import { describe, expect, it } from 'vitest';
import type { StoredCommand, StoredCommands } from '../../../vm-agent/commands/stored-commands.ts';
import { FLUSH_MS } from '../../../vm-agent/disk/state-store.ts';
import { COMMANDS_EVERY_MS, SPARE_NUMBERS } from '../../../vm-agent/disk/unsaved-commands.ts';
import { agent, dir, opensStores } from './opened-store.ts';
import { asData, crashCopy, OpenStore, someMetadata } from './some-session.ts';

opensStores();

/** A session that runs commands. Each of them prints something, as every mark does. */
class Shell {
  version = 0;
  asked = 0;
  readonly #stored = agent.store.session('s1', someMetadata(), {
    from: 0,
    snapshotNeeded: () => {},
    commands: this,
  });

  runs(): void {
    this.#stored.append(this.version, Buffer.from('$'));
    this.version++;
  }

  get nextNumber(): number {
    return this.version + 1;
  }

  draws(): Promise<boolean> {
    const { version: offset } = this;
    return this.#stored.writeSnapshot({ offset, size: { cols: 80, rows: 24 }, data: asData('$') });
  }

  stored(): StoredCommand[] {
    this.asked++;
    const startedAt = '2026-11-17T10:00:00.000Z';
    const rest = { commandLine: 'x', startedAt, durationMs: 1, exitCode: 0, verified: true };
    return Array.from({ length: this.version }, (_, i) => ({ number: i + 1, ...rest }));
  }
}

async function onDisk(): Promise<StoredCommands | undefined> {
  const next = await OpenStore.at(crashCopy(agent.dir, dir.path));
  await next.store.close();
  return next.found('s1').metadata.commands;
}

const commandsOnDisk = async () => (await onDisk())?.list.length ?? 0;

describe('[T3] [AG15] the commands of a session', () => {
  it('are on disk half a second after the first', async () => {
    const shell = new Shell();
    await agent.passes(FLUSH_MS);
    expect([await commandsOnDisk(), shell.asked], 'none').toEqual([0, 0]);
    shell.runs();
    await agent.passes(FLUSH_MS);
    expect(await commandsOnDisk()).toBe(1);
  });

  it('are written once in five seconds if there are many', async () => {
    const shell = new Shell();
    shell.runs();
    await agent.passes(FLUSH_MS);
    for (let i = 0; i < COMMANDS_EVERY_MS / FLUSH_MS - 1; i++) {
      shell.runs();
      await agent.passes(FLUSH_MS);
    }
    expect([await commandsOnDisk(), shell.asked]).toEqual([1, 1]);
    await agent.passes(FLUSH_MS);
    expect([await commandsOnDisk(), shell.asked]).toEqual([shell.version, 2]);
  });

  it('are written although nothing else is left to write', async () => {
    const shell = new Shell();
    shell.runs();
    await agent.passes(FLUSH_MS);
    shell.runs();
    await agent.passes(FLUSH_MS);
    await shell.draws();
    await agent.passes(COMMANDS_EVERY_MS);
    expect(await commandsOnDisk()).toBe(2);
  });

  it('are all on disk when the agent stops', async () => {
    const shell = new Shell();
    shell.runs();
    await agent.passes(FLUSH_MS);
    shell.runs();
    await agent.store.close();
    expect(await commandsOnDisk()).toBe(2);
  });

  it('do not use a number again that a crash has lost, and leave none out after a stop', async () => {
    const shell = new Shell();
    shell.runs();
    await agent.passes(FLUSH_MS);
    expect((await onDisk())?.nextNumber).toBe(2 + SPARE_NUMBERS);
    for (let i = 0; i < SPARE_NUMBERS; i++) shell.runs();
    await agent.passes(FLUSH_MS);
    expect(await commandsOnDisk(), 'the spare numbers are enough').toBe(1);
    shell.runs();
    await agent.passes(FLUSH_MS);
    expect((await onDisk())?.nextNumber).toBe(shell.nextNumber + SPARE_NUMBERS);
    await agent.store.close();
    expect((await onDisk())?.nextNumber).toBe(shell.nextNumber);
  });
});
