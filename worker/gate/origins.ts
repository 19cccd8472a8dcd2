/** Decides which web origins may send requests: our own, and the embedders in RELAY_ORIGINS. Rules GT4 and GT6. */

import { ownAddress } from './own-address.ts';

/** The allowed origins besides our own, and our own public address. */
export interface OriginSettings {
  readonly embedders: ReadonlySet<string>;
  /** Our own address, where requests do not show it. */
  readonly publicUrl: URL | null;
}

/** Parses RELAY_ORIGINS: origins separated by commas or spaces. Invalid entries are ignored. */
export function readOrigins(setting: string | undefined): ReadonlySet<string> {
  const listed = (setting ?? '').split(/[\s,]+/).filter((text) => text !== '');
  return new Set(listed.filter((text) => URL.parse(text)?.origin === text));
}

/** Classifies the Origin header as ours, an embedder's or foreign; `none` when there is no such header. */
export function originOf(
  request: { readonly url: string; readonly headers: Headers },
  { embedders, publicUrl }: OriginSettings,
): { readonly kind: 'none' | 'foreign' } | { readonly kind: 'own' | 'embedder'; readonly origin: string } {
  const origin = request.headers.get('Origin');
  if (origin === null) return { kind: 'none' };
  if (origin === ownAddress(request.url, publicUrl).origin) return { kind: 'own', origin };
  return embedders.has(origin) ? { kind: 'embedder', origin } : { kind: 'foreign' };
}
