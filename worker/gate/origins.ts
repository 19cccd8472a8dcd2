/** Which pages may ask: our own, and those of the embedders in RELAY_ORIGINS. Rules GT4 and GT6. */

import { ownAddress } from './own-address.ts';

/** Whose pages there are beside our own, and where ours is. */
export interface OriginSettings {
  readonly embedders: ReadonlySet<string>;
  /** Our own address where requests do not show it. */
  readonly publicUrl: URL | null;
}

/** RELAY_ORIGINS as a set: origins between commas or spaces. What is no origin is left out. */
export function readOrigins(setting: string | undefined): ReadonlySet<string> {
  const listed = (setting ?? '').split(/[\s,]+/).filter((text) => text !== '');
  return new Set(listed.filter((text) => URL.parse(text)?.origin === text));
}

/** The origin that a browser named, if it is ours or an embedder's; `none` when no browser asks. */
export function originOf(
  request: { readonly url: string; readonly headers: Headers },
  { embedders, publicUrl }: OriginSettings,
): { readonly kind: 'none' | 'foreign' } | { readonly kind: 'own' | 'embedder'; readonly origin: string } {
  const origin = request.headers.get('Origin');
  if (origin === null) return { kind: 'none' };
  if (origin === ownAddress(request.url, publicUrl).origin) return { kind: 'own', origin };
  return embedders.has(origin) ? { kind: 'embedder', origin } : { kind: 'foreign' };
}
