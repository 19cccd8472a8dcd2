/** A person and a coding agent in one terminal: it works while nobody looks, asks, and is answered from anywhere. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { McpClient } from '../support/mcp-client.ts';
import { newTerminal } from '../support/page-story.ts';
import { terminalOf } from '../support/terminal-page.ts';
import { World } from '../support/world.ts';
import { opensTerminals, page } from './watched-page.ts';

const PROGRAM = fileURLToPath(new URL('../support/coding-agent.mjs', import.meta.url));
const ASKS = 'Needs your permission to run echo tested';

let world: World;
let home: string;
beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'holdfast-coding-agent-'));
  writeFileSync(join(home, '.bashrc'), "PS1='$ '\n");
  world = await World.open({ shell: '/bin/bash', home });
});
afterAll(async () => {
  await world[Symbol.asyncDispose]();
  rmSync(home, { recursive: true });
});

/** Makes the program stop thinking, and ask. */
const go = () => writeFileSync(join(home, 'go'), '');

const tab = (index: number) => page.getByRole('tab').nth(index);
const marked = (index: number) => expect.poll(() => tab(index).getAttribute('data-marker'));

const mcpClient = async () => {
  const { url: relay, workspace } = world.relay;
  const token = await world.relay.token('operator');
  return McpClient.connect({ relay, workspace, token }, { transport: 'http', revision: '2025-11-25' });
};

describe('a coding agent in a terminal', () => {
  opensTerminals(() => world);

  beforeEach(async () => {
    rmSync(join(home, 'go'), { force: true });
    await terminalOf(page).types(`clear; ${process.execPath} ${PROGRAM} ~/go\n`);
    await terminalOf(page).shows(/^> $|^>$/m);
    // Its title is on the tab when the page knows that another program than the shell gets the keys.
    await tab(0).filter({ hasText: '✳ Ready' }).waitFor();
  });

  it('[A4] [T2] gets a prompt of several lines, works unseen, asks on its tab, and is answered', async () => {
    const terminal = terminalOf(page);
    await terminal.typesBlindly('Fix the tests');
    await page.keyboard.press('Shift+Enter');
    await terminal.typesBlindly('and the docs');
    await page.keyboard.press('Enter');
    await terminal.shows(/^prompt "Fix the tests\\nand the docs"$/m);
    await tab(0).filter({ hasText: '✳ Fix the tests' }).waitFor();

    await newTerminal(page);
    go();
    await marked(0).toBe('asks');
    await expect
      .poll(() => tab(0).getAttribute('aria-description'))
      .toMatch(new RegExp(`Asks since \\d\\d:\\d\\d: ${ASKS}$`));
    world.killAgent();
    await page.reload();
    await marked(0).toBe('asks');

    await tab(0).click();
    await terminal.shows(/^❯ 1\. Yes$/m);
    await page.keyboard.press('1');
    await terminal.shows(/^⏺ tested$/m);
    await tab(1).click();
    await marked(0).not.toBe('asks');
    await tab(0).filter({ hasText: '✳ Ready' }).waitFor();
  });

  it('[A2] [A3] is answered by another over MCP, which cannot run commands meanwhile', async () => {
    await using mcp = await mcpClient();
    const { sessions } = await mcp.facts('list_sessions', {});
    const [{ id: session = '' } = {}] = sessions as { id?: string }[];
    const busy = await mcp.call('run', { session, command: 'ls', timeoutMs: 1000 });
    expect(busy).toMatchObject({ isError: true, text: expect.stringMatching(/shell_busy.*node/s) });
    await mcp.facts('type', { session, text: 'One\nTwo' });
    await mcp.facts('keys', { session, keys: ['enter'] });
    await terminalOf(page).shows(/^prompt "One\\nTwo"$/m);
    // Nobody looks at it from here on.
    await newTerminal(page);
    const asked = mcp.facts('wait', { session, for: 'attention', timeoutMs: 60_000 });
    go();
    expect(await asked).toMatchObject({ happened: true, attention: { state: 'asks', text: ASKS } });
    await mcp.facts('keys', { session, keys: ['2'] });
    await mcp.facts('wait', { session, for: 'text', text: 'not run', timeoutMs: 60_000 });
    await tab(0).click();
    await terminalOf(page).shows(/^⏺ not run$/m);
  });
});
