/** Does an answer fit its question. */
import type { InputRequest, JsonSchema } from '@parley/kit';

/** What is wrong with the content of a form, in words; undefined when it fits. */
export type FaultOfContent = (schema: JsonSchema, content: unknown) => Promise<string | undefined>;

/** What is wrong with an answer, in words; undefined when it fits. */
export async function faultOfAnswer(
  request: InputRequest,
  response: unknown,
  faultOf: FaultOfContent = faultOfContent,
): Promise<string | undefined> {
  if (typeof response !== 'object' || response === null || Array.isArray(response))
    return 'must be an object';
  if (request.method === 'sampling/createMessage') {
    return 'role' in response && 'content' in response ? undefined : 'must have a role and content';
  }
  if (request.method === 'roots/list') {
    return 'roots' in response && Array.isArray(response.roots) ? undefined : 'must have a list of roots';
  }
  if (!('action' in response) || !['accept', 'decline', 'cancel'].includes(String(response.action))) {
    return 'action must be accept, decline or cancel';
  }
  if (response.action !== 'accept') return undefined;
  const content = 'content' in response ? response.content : {};
  return faultOf(request.params.requestedSchema, content);
}

async function faultOfContent(schema: JsonSchema, content: unknown): Promise<string | undefined> {
  // Loaded with the first answer that has to be checked.
  const { fromJsonSchema } = await import('@modelcontextprotocol/server');
  const outcome = await fromJsonSchema(schema)['~standard'].validate(content);
  return outcome.issues?.map(({ message }) => message).join('; ');
}
