import { describe, expect, it } from 'vitest';
import {
  credentialOf,
  isCode,
  linkOfCode,
  ownerCredentialOf,
  withoutFragment,
  workspaceOfPage,
} from '../../../../web/ui/login/address.ts';

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
    ['#code=aB3_-', 'Code aB3_-'],
    ['#code=abc&token=def', 'Bearer def'],
    ['#code=', null],
    ['#code=%C3%A4%0A', null],
    ['#codes=abc', null],
    ['#token=', null],
    ['#ticket=', null],
    ['#tokens=abc', null],
    ['#', null],
    ['', null],
  ])('%s signs in with %s', (hash, credential) => {
    expect(credentialOf(hash)).toBe(credential);
  });

  it.each([
    ['#owner=aB3_-', 'Link aB3_-'],
    ['#x=1&owner=abc', 'Link abc'],
    ['#owner=', null],
    ['#owner=%C3%A4%0A', null],
    ['#owners=abc', null],
    ['#token=abc', null],
    ['', null],
  ])('%s signs the owner in with %s', (hash, credential) => {
    expect(ownerCredentialOf(hash)).toBe(credential);
    if (credential !== null) expect(credentialOf(hash), 'in no workspace').toBeNull();
  });

  it('[J5] of another device is a link that is read as a code, and of the same workspace', () => {
    const link = new URL(linkOfCode(new URL('https://relay.example.com/w/x?y#z'), 'build-7', 'aB3_-'));
    expect(link.href).toBe('https://relay.example.com/w/build-7#code=aB3_-');
    expect(workspaceOfPage(link.pathname)).toBe('build-7');
    const credential = credentialOf(link.hash) ?? '';
    expect(isCode(credential)).toBe(true);
    expect(isCode(credentialOf('#ticket=Code') ?? '')).toBe(false);
  });

  it('keeps path and query when the fragment is removed', () => {
    const address = new URL('http://localhost:8787/w/local?renderer=dom#token=secret');
    expect(withoutFragment(address)).toBe('/w/local?renderer=dom');
  });
});
