/** Reads an HTTP answer. The server may be neither a relay nor an agent, and may never stop sending. */

/** Our own answers have a few hundred characters; the page of a proxy is read in part. */
export const ANSWER_MAX_CHARS = 64 * 1024;

/** Undefined if it is no JSON, or if it is too long. */
export async function readAnswer(response: Response): Promise<unknown> {
  let text = '';
  const decoder = new TextDecoder();
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk as Uint8Array, { stream: true });
    if (text.length > ANSWER_MAX_CHARS) break;
  }
  try {
    return JSON.parse(text.slice(0, ANSWER_MAX_CHARS));
  } catch {
    return undefined;
  }
}
