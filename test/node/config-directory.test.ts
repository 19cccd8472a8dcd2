import { homedir } from 'node:os';
import { describe, expect, it } from 'vitest';
import { configDirectory } from '../../node/config-directory.ts';

describe('the directory of settings', () => {
  it.each([
    [{ XDG_CONFIG_HOME: '/x/config' }, '/x/config/holdfast'],
    [{ XDG_CONFIG_HOME: 'config' }, `${homedir()}/.config/holdfast`],
    [{ XDG_CONFIG_HOME: '' }, `${homedir()}/.config/holdfast`],
    [{}, `${homedir()}/.config/holdfast`],
  ])('with %j is %s', (env, directory) => {
    expect(configDirectory(env)).toBe(directory);
  });
});
