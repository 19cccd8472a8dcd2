/** Which address a relay has, from what wrangler says. */
import { describe, expect, it } from 'vitest';
import { deployedAddress } from '../../../cli/deploy/deployed-address.ts';

describe('the address of a deployed relay', () => {
  it.each([
    [['https://holdfast.you.workers.dev'], 'https://holdfast.you.workers.dev'],
    [['relay.example.com (custom domain)'], 'https://relay.example.com'],
    [['relay.example.com (custom domain - zone name: example.com)'], 'https://relay.example.com'],
    [
      ['relay.example.com (custom domain) [enabled, previews: disabled]', 'https://x.workers.dev'],
      'https://relay.example.com',
    ],
    [['relay.example.com/* (zone name: example.com)'], 'https://relay.example.com'],
    [['relay.example.com/*'], 'https://relay.example.com'],
    [
      ['https://x.workers.dev', 'a.example.com/*', 'relay.example.com (custom domain)'],
      'https://relay.example.com',
    ],
    [['https://x.workers.dev', 'schedule: * * * * *', 'a.example.com/*'], 'https://a.example.com'],
  ])('[J4] in %j is %s', (targets, address) => {
    expect(deployedAddress(targets)?.origin).toBe(address);
  });

  it.each([
    [[]],
    [['schedule: 0 * * * *', 'Producer for x', '...and 3 more routes']],
    [['*.example.com/*']],
    [['example.com/terminal/*']],
    [['relay.example.com (custom domain) [disabled]']],
    [['http://holdfast.you.workers.dev']],
    [['https://user@evil.example', 'https://evil.example/path', 'https://evil.example#x', 'https://a..b']],
    [['javascript:alert(1)', ' https://x.workers.dev', 'https://x.workers.dev\x1b[2J']],
    [[`https://${'a'.repeat(60)}${'.a'.repeat(400)}`]],
    [[...Array.from({ length: 100 }, () => 'schedule: x'), 'https://x.workers.dev']],
  ])('[J4] is not found in %j', (targets) => {
    expect(deployedAddress(targets)).toBe(null);
  });
});
