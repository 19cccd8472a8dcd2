/** The folder with our scripts, and shells that start plain if it cannot be trusted. */
import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ScriptFolder } from '../../../vm-agent/shell/script-folder.ts';
import { shellMarks } from '../../../vm-agent/shell/shell-marks.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'holdfast-script-folder-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const SCRIPT = Buffer.from('true\n');
const modeOf = (path: string) => statSync(path).mode & 0o777;

describe('the folder of the scripts', () => {
  it('is made when it is needed, for its owner alone', () => {
    const path = join(root, 'state/shell');
    expect(new ScriptFolder(path).provide('marks.bash', SCRIPT)).toBe(path);
    expect([modeOf(path), modeOf(join(path, 'marks.bash'))]).toEqual([0o700, 0o600]);
    expect(readdirSync(path)).toEqual(['marks.bash']);
  });

  it('gets what an earlier version wrote, and what was damaged or removed, as it should be', () => {
    const folder = new ScriptFolder(join(root, 'shell'));
    const file = join(folder.provide('marks.bash', Buffer.from('older')), 'marks.bash');
    folder.provide('marks.bash', SCRIPT);
    expect(readFileSync(file)).toEqual(SCRIPT);
    writeFileSync(file, 'if then');
    folder.provide('marks.bash', SCRIPT);
    expect(readFileSync(file)).toEqual(SCRIPT);
    rmSync(dirname(file), { recursive: true });
    folder.provide('marks.bash', SCRIPT);
    expect(readFileSync(file)).toEqual(SCRIPT);
  });

  it('is a temporary one without a state directory, made again if it was cleaned up, and removed in the end', () => {
    const folder = new ScriptFolder(null);
    const first = folder.provide('marks.bash', SCRIPT);
    expect([modeOf(first), folder.provide('marks.fish', SCRIPT)]).toEqual([0o700, first]);
    rmSync(first, { recursive: true });
    const second = folder.provide('marks.bash', SCRIPT);
    expect(readdirSync(second)).toEqual(['marks.bash']);
    folder.remove();
    expect(() => statSync(second)).toThrow('ENOENT');
  });
});

describe('a folder that cannot be trusted', () => {
  const refused = (prepare: (folder: string, file: string) => void) => {
    const path = join(root, 'shell');
    const file = join(path, 'marks.bash');
    mkdirSync(path, { mode: 0o700 });
    writeFileSync(file, SCRIPT, { mode: 0o600 });
    prepare(path, file);
    return () => new ScriptFolder(path).provide('marks.bash', SCRIPT);
  };

  it.each([0o770, 0o702, 0o777])('others may write to it (%i)', (mode) => {
    expect(refused((folder) => chmodSync(folder, mode))).toThrow('others may write to');
  });

  it.each([0o620, 0o602])('others may write to a file in it (%i)', (mode) => {
    expect(refused((_folder, file) => chmodSync(file, mode))).toThrow('others may write to');
  });

  it('it, or a file in it, is a link', () => {
    const moved = (path: string) => {
      writeFileSync(join(root, 'elsewhere'), SCRIPT);
      rmSync(path, { recursive: true });
      symlinkSync(join(root, 'elsewhere'), path);
    };
    expect(refused((_folder, file) => moved(file))).toThrow('is not a file');
    rmSync(join(root, 'shell'), { recursive: true });
    mkdirSync(join(root, 'target'));
    symlinkSync(join(root, 'target'), join(root, 'shell'));
    expect(() => new ScriptFolder(join(root, 'shell')).provide('marks.bash', SCRIPT)).toThrow(
      'is not a directory',
    );
  });

  const isRoot = process.getuid?.() === 0;
  it.skipIf(!isRoot)(
    `it, or a file in it, belongs to another user${isRoot ? '' : ' (skipped: needs root)'}`,
    () => {
      expect(refused((_folder, file) => chownSync(file, 12_345, 12_345))).toThrow('belongs to another user');
      rmSync(join(root, 'shell'), { recursive: true });
      expect(refused((folder) => chownSync(folder, 12_345, 12_345))).toThrow('belongs to another user');
    },
  );
});

describe('a shell starts as it was asked for, with one warning,', () => {
  const spec = {
    command: 'bash',
    args: ['-l'],
    cwd: '/',
    env: { PATH: '/usr/bin:/bin' },
    size: { cols: 80, rows: 24 },
  };
  const started = (folder: ScriptFolder, scripts?: URL) => {
    const warnings: string[] = [];
    const mark = shellMarks({
      folder,
      without: (shell, why) => warnings.push(`${shell}: ${why}`),
      ...(scripts === undefined ? {} : { scripts }),
    });
    return { spec: mark(spec, { nonce: 'N', firstNumber: 1 }), warnings };
  };

  it('if others may write to the folder', () => {
    mkdirSync(join(root, 'shell'));
    chmodSync(join(root, 'shell'), 0o777);
    const { spec: given, warnings } = started(new ScriptFolder(join(root, 'shell')));
    expect(given).toBe(spec);
    expect(warnings).toEqual([`bash: others may write to ${join(root, 'shell')}`]);
  });

  it('if the folder cannot be made', () => {
    writeFileSync(join(root, 'state'), 'a file, as a read-only disk would refuse it to root too');
    const { spec: given, warnings } = started(new ScriptFolder(join(root, 'state/shell')));
    expect(given).toBe(spec);
    expect(warnings).toEqual([expect.stringMatching(/^bash: E(NOTDIR|EXIST)/)]);
  });

  it('if our own script is missing', () => {
    const { spec: given, warnings } = started(
      new ScriptFolder(join(root, 'shell')),
      pathToFileURL(`${root}/nowhere/`),
    );
    expect(given).toBe(spec);
    expect(warnings).toEqual([expect.stringMatching(/^bash: ENOENT/)]);
  });
});
