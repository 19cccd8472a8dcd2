/** Several windows on one session: who sets its size, and who only watches. */
import { describe, expect, it } from 'vitest';
import { expectTabs } from '../support/expect-tabs.ts';
import { complaintsOf, newTerminal, openPage, tabsOf } from '../support/page-story.ts';
import { terminalOf } from '../support/terminal-page.ts';
import { open, opensWorld, rename, tab, world } from './own-page.ts';

opensWorld();

describe('two browsers on one session', () => {
  it('show the same; the one that types sets the size, the other is letterboxed and may take over', async () => {
    const wide = await open();
    await wide.setViewportSize({ width: 1200, height: 700 });
    await terminalOf(wide).types('echo shared-$((1+1))\n');
    const narrow = await openPage(world);
    await narrow.setViewportSize({ width: 600, height: 500 });
    await terminalOf(narrow).shows(/^shared-2$/m);
    await narrow.getByText(/Sized for another window: \d+ × \d+/).waitFor();
    expect(await wide.getByText(/Sized for another window/).count()).toBe(0);

    await narrow.getByRole('button', { name: 'Take over' }).click();
    await narrow.getByText(/Sized for another window/).waitFor({ state: 'hidden' });
    await wide.getByText(/Sized for another window/).waitFor();
    await terminalOf(narrow).types('echo from-narrow-$((1+1))\n');
    await terminalOf(wide).shows(/^from-narrow-2$/m);
    await terminalOf(wide).types('echo from-wide-$((1+1))\n');
    await terminalOf(narrow).shows(/^from-wide-2$/m);
    await narrow.getByText(/Sized for another window/).waitFor();

    // Names belong to the session, tabs to the window.
    await tab(narrow, 'Terminal 1').dblclick();
    await rename(narrow, 'Shared');
    await expectTabs(wide, '[Shared]');
    await newTerminal(narrow);
    await expectTabs(narrow, 'Shared', '[Terminal 1]');
    expect(await tabsOf(wide)).toEqual(['[Shared]']);
    // Closing a terminal that another window shows asks first, and can be limited to this window.
    await tab(narrow, 'Shared').click();
    await narrow.keyboard.press('Alt+Shift+W');
    await narrow.getByText('Another window shows this terminal').waitFor();
    await narrow.getByRole('button', { name: 'Close tab only' }).click();
    await expectTabs(narrow, '[Terminal 1]');
    await terminalOf(wide).types('echo untouched-$((1+1))\n');
    await terminalOf(wide).shows(/^untouched-2$/m);
    await narrow.context().close();
  });
});

describe('a viewer', () => {
  it('[SEC4] [RL7] sees "View only", follows, and sends nothing whatever keys it presses', async () => {
    const operator = await open();
    await terminalOf(operator).types('echo seen-$((1+1))\n');
    await terminalOf(operator).shows(/^seen-2$/m);
    const viewer = await openPage(world, { role: 'viewer' });
    const complaints = complaintsOf(viewer);
    await terminalOf(viewer).shows(/^seen-2$/m);
    await viewer.getByText('View only').waitFor();
    expect(await viewer.getByRole('button', { name: 'New terminal' }).count()).toBe(0);
    expect(await viewer.getByRole('button', { name: 'Take over' }).count()).toBe(0);
    await viewer.keyboard.type('echo forged\r');
    for (const keys of ['Alt+Shift+N', 'Alt+Shift+H', 'Alt+Shift+W', 'Alt+Shift+R', 'F2', 'Delete'])
      await viewer.keyboard.press(keys);
    await viewer.getByRole('button', { name: 'Sessions' }).click();
    await viewer.getByRole('button', { name: 'Go to Terminal 1' }).waitFor();
    expect(await viewer.getByRole('button', { name: 'End Terminal 1' }).count()).toBe(0);
    await viewer.keyboard.press('Escape');
    await terminalOf(operator).types('echo after-$((1+1))\n');
    await terminalOf(viewer).shows(/^after-2$/m);
    expect(await terminalOf(viewer).screen()).not.toContain('forged');
    await expectTabs(viewer, '[Terminal 1]');
    expect(complaints).toEqual([]);
    await viewer.context().close();
  });
});
