import { describe, expect, it } from 'vitest';
import { readPastedLink } from '../../../../web/ui/login/pasted-link.ts';

const here = { origin: 'https://relay.example.com', workspace: 'build-7' };
const anywhere = { ...here, workspace: null };
const CODE = 'aB3_-xYz'.repeat(5);

describe('a pasted link', () => {
  it.each([
    ['a token', '#token=a.b.c', 'Bearer a.b.c'],
    ['a ticket', '#ticket=a.b.c', 'Ticket a.b.c'],
    ['a code of another device', `#code=${CODE}`, `Code ${CODE}`],
  ])('[J5] with %s is accepted, for this workspace and where any is accepted', (_, end, credential) => {
    const text = ` https://relay.example.com/w/build-7?renderer=dom${end}\n`;
    const link = {
      name: 'link',
      workspace: 'build-7',
      credential,
      href: `/w/build-7?renderer=dom${end}`,
    };
    expect(readPastedLink(text, here)).toEqual(link);
    expect(readPastedLink(text, anywhere)).toEqual(link);
  });

  it("[J2] of the owner is accepted where any is accepted, and only at the relay's own address", () => {
    const link = `https://relay.example.com/#owner=${CODE}`;
    expect(readPastedLink(` ${link}\n`, anywhere)).toEqual({
      name: 'link',
      workspace: null,
      credential: `Link ${CODE}`,
      href: `/#owner=${CODE}`,
    });
    expect(readPastedLink(link, here)).toEqual({
      name: 'unusable',
      sentence: expect.stringMatching(/^This link is for the owner of the relay\./),
    });
    const elsewhere = readPastedLink(`https://relay.example.com/w/a#owner=${CODE}`, anywhere);
    expect(elsewhere.name).toBe('unusable');
  });

  it.each([
    ['', /^Paste the link first\./],
    [CODE, /^This is not a link\./],
    [
      `https://other.example.com/w/build-7#code=${CODE}`,
      /^This link belongs to another relay, other\.example\.com\./,
    ],
    [`https://relay.example.com/w/build-8#code=${CODE}`, /^This link is for the workspace “build-8”\./],
    [`https://relay.example.com/status/build-7#code=${CODE}`, /does not lead to a workspace/],
    ['https://relay.example.com/w/build-7', /^This link has no token or code: its end/],
    ['https://relay.example.com/w/build-7#code=', /^This link has no token or code: its end/],
    [`https://relay.example.com/w/build-7#code=${'x'.repeat(9000)}`, /too long/],
  ])('[J5] that cannot be used is refused with a sentence: %.60s', (text, sentence) => {
    expect(readPastedLink(text, here)).toEqual({
      name: 'unusable',
      sentence: expect.stringMatching(sentence),
    });
  });
});
