import { describe, expect, it } from 'vitest';
import { credentialOf, withoutFragment, workspaceOfPage } from '../../../../web/ui/login/address.ts';

describe("the page's address", () => {
  it.each([
    ['/w/local', 'local'],
    ['/w/local/', 'local'],
    ['/w/Team_7-b', 'Team_7-b'],
    ['/w/', null],
    ['/w/a/b', null],
    ['/w/a%20b', null],
    [`/w/${'a'.repeat(65)}`, null],
    ['/', null],
  ])('%s names the workspace %s', (path, workspace) => {
    expect(workspaceOfPage(path)).toBe(workspace);
  });

  it.each([
    ['#token=a.b-c_d', 'Bearer a.b-c_d'],
    ['#x=1&token=abc', 'Bearer abc'],
    ['#ticket=a.b', 'Ticket a.b'],
    ['#token=', null],
    ['#ticket=', null],
    ['#tokens=abc', null],
    ['#', null],
    ['', null],
  ])('%s signs in with %s', (hash, credential) => {
    expect(credentialOf(hash)).toBe(credential);
  });

  it('keeps path and query when the fragment is removed', () => {
    const address = new URL('http://localhost:8787/w/local?renderer=dom#token=secret');
    expect(withoutFragment(address)).toBe('/w/local?renderer=dom');
  });
});
