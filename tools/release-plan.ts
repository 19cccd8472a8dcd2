/** Decides what a release changes: the version in the manifests and the heading in the changelog. Pure; release.ts does it. */

interface ReleaseInput {
  /** The version that was asked for. */
  readonly version: string;
  readonly manifest: string;
  readonly lockfile: string;
  readonly changelog: string;
  /** The day of the release, as YYYY-MM-DD. */
  readonly day: string;
}

interface ReleasePlan {
  readonly manifest: string;
  readonly lockfile: string;
  readonly changelog: string;
  readonly tag: string;
}

const VERSION = /^(\d+)\.(\d+)\.(\d+)$/;
const UNRELEASED = /^## (\d+\.\d+\.\d+), not released yet$/m;

/** Throws a sentence when the release cannot be made. */
export function planRelease({ version, manifest, lockfile, changelog, day }: ReleaseInput): ReleasePlan {
  if (!VERSION.test(version)) throw new Error(`"${version}" is not a version such as 1.2.3.`);
  const current = (JSON.parse(manifest) as { version: string }).version;
  if (isOlder(version, current))
    throw new Error(`${version} is older than ${current}, the version in package.json.`);
  if (!UNRELEASED.test(changelog))
    throw new Error(
      'CHANGELOG.md has no section "## x.y.z, not released yet". Add one that says what has changed.',
    );
  return {
    manifest: withVersion(manifest, current, version),
    lockfile: withVersion(lockfile, current, version),
    changelog: changelog.replace(UNRELEASED, `## ${version}, ${day}`),
    tag: `v${version}`,
  };
}

function isOlder(version: string, than: string): boolean {
  const parts = (text: string) => (VERSION.exec(text) ?? []).slice(1).map(Number);
  const [a, b] = [parts(version), parts(than)];
  const differing = a.findIndex((part, at) => part !== b[at]);
  return differing >= 0 && (a[differing] ?? 0) < (b[differing] ?? 0);
}

/** Replaces our own version only. In a lock file it appears twice before that of any dependency. */
function withVersion(json: string, current: string, version: string): string {
  const own = json.slice(0, json.indexOf('"dependencies"'));
  return own.replaceAll(`"version": "${current}"`, `"version": "${version}"`) + json.slice(own.length);
}
