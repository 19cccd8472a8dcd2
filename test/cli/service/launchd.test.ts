/** Services of launchd, with a stand-in for launchctl: there is no macOS in the tests. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Launchd } from '../../../cli/service/launchd.ts';
import { plistText, programInPlist } from '../../../cli/service/launchd-plist.ts';
import { ourServiceFiles, writeServiceFile } from '../../../cli/service/service-files.ts';

const service = {
  name: 'holdfast-up',
  program: ['/usr/local/bin/node', '/opt/a&b/bin.mjs', 'up', '--state-dir', '/x/<y>'],
  environment: { PATH: '/usr/bin' },
};

describe('a property list', () => {
  const text = plistText(service, '/Users/ada/Library/Logs/holdfast-up.log');

  it('[J1] names program, variables and log, and starts the service again unless it ended well', () => {
    expect(text).toContain('<key>Label</key>\n<string>holdfast-up</string>');
    expect(text).toContain('<key>PATH</key>\n<string>/usr/bin</string>');
    expect(text).toContain('<dict><key>SuccessfulExit</key><false/></dict>');
    expect(text).toContain('<string>/Users/ada/Library/Logs/holdfast-up.log</string>');
  });

  it('[J1] escapes what XML would read as its own', () => {
    expect(programInPlist(text)?.match(/(?<=<string>).*(?=<\/string>)/g)).toEqual([
      '/usr/local/bin/node',
      '/opt/a&amp;b/bin.mjs',
      'up',
      '--state-dir',
      '/x/&lt;y&gt;',
    ]);
  });
});

describe('launchd', () => {
  it('[J1] finds its own file again, which is XML, whatever the path that is kept', async () => {
    const home = mkdtempSync(join(tmpdir(), 'holdfast-launchd-'));
    const launchd = new Launchd({ home, uid: 501, run: async () => ({ code: 0, out: '', err: '' }) });
    const keeps = ['/Users/ada/a--b/-->'];
    await writeServiceFile(launchd, { ...service, description: '', keeps });
    const text = readFileSync(launchd.fileOf('holdfast-up'), 'utf8');
    expect(text).toMatch(/^<\?xml version="1\.0" encoding="UTF-8"\?>\n<!DOCTYPE plist /);
    const comments = [...text.matchAll(/<!--(.*)-->/g)].map(([, comment = '']) => comment);
    expect([comments.length, comments.filter((comment) => comment.includes('--'))]).toEqual([2, []]);
    expect(await ourServiceFiles(launchd)).toMatchObject([{ name: 'holdfast-up', keeps }]);
    rmSync(home, { recursive: true });
  });

  const stories = [
    [501, '/Users/ada/Library/LaunchAgents/holdfast-up.plist', 'gui/501'],
    [0, '/Library/LaunchDaemons/holdfast-up.plist', 'system'],
  ] as const;

  it.each(stories)('[J1] user %i has services in %s', async (uid, file, domain) => {
    const asked: string[] = [];
    let isLoaded = false;
    const launchd = new Launchd({
      home: '/Users/ada',
      uid,
      run: async (program, [verb = '', ...rest]) => {
        asked.push([program, verb, ...rest].join(' '));
        if (verb === 'bootstrap') isLoaded = true;
        if (verb === 'bootout') isLoaded = false;
        return { code: verb === 'print' && !isLoaded ? 113 : 0, out: '', err: '' };
      },
    });
    expect(launchd.fileOf('holdfast-up')).toBe(file);
    await launchd.start('holdfast-up');
    expect(await launchd.isRunning('holdfast-up')).toBe(true);
    await launchd.stop('holdfast-up');
    await launchd.stop('holdfast-up');
    expect(asked.filter((line) => !line.includes('print'))).toEqual([
      `launchctl bootstrap ${domain} ${file}`,
      `launchctl bootout ${domain}/holdfast-up`,
    ]);
  });
});
