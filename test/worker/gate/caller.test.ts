/** How the Worker tells the object who is calling. */
import { describe, expect, it } from 'vitest';
import { type Caller, passCaller, readCaller } from '../../../worker/gate/caller.ts';

describe('the caller', () => {
  it('[AU7] has a name that no header could carry unencoded', () => {
    const caller: Caller = {
      role: 'operator',
      credential: { tokenId: 'token-id', issuedAt: 0, expiresAt: 9e15, name: 'Zoë 漢 \u{1f980} \\ "' },
      isPage: false,
      client: 'cli',
    };
    const request = new Request('http://relay.example.com', { headers: passCaller(caller) });
    expect(readCaller(request)).toEqual(caller);
  });
});
