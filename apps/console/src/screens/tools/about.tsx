/** Owns what a tool is: its words, hints, cost, schemas, and who else has it. */
import type { Tool } from '../../api/schema.ts';
import { Facts } from '../../ui/detail-pane.tsx';
import { JsonView } from '../../ui/json-view.tsx';
import { Markdown } from '../../ui/markdown.tsx';
import { useWhoElse } from './queries.ts';

const HINTS: readonly (readonly [name: string, yes: string, no: string])[] = [
  ['readOnlyHint', 'only reads', 'changes something'],
  ['destructiveHint', 'can take away', 'takes nothing away'],
  ['idempotentHint', 'twice is as once', 'every call counts'],
  ['openWorldHint', 'reaches outside', 'stays inside'],
];

const SOURCES: Readonly<Record<Tool['source'], string>> = {
  toolset: 'Parley itself',
  connection: 'a connection',
  virtual: 'a virtual MCP',
};

/** Everything that is known of it. */
export function About({ tool }: { readonly tool: Tool }) {
  const who = useWhoElse(tool);
  const hints = HINTS.filter(([name]) => typeof tool.hints[name] === 'boolean').map(([name, yes, no]) =>
    tool.hints[name] ? yes : no,
  );
  return (
    <div className="stack-l">
      <Markdown text={tool.description} />
      <Facts
        facts={[
          ['From', `${tool.endpointTitle} (${SOURCES[tool.source]})`],
          ['Address', <code key="address">/mcp/{tool.endpoint}</code>],
          hints.length > 0 && ['Hints', hints.join(', ')],
          ['Cost', `about ${tool.tokens.toLocaleString('en')} tokens for a model that knows of it`],
          !!tool.task && ['As a task', tool.task],
          !!who.data && [
            'Who else has it',
            who.data.length === 0
              ? 'nobody'
              : who.data.map(({ name, kind }) => `${name} (${kind})`).join(', '),
          ],
        ]}
      />
      <section className="stack">
        <h3>What it takes</h3>
        <JsonView value={tool.inputSchema} openDepth={3} />
      </section>
      {tool.outputSchema !== undefined && tool.outputSchema !== null && (
        <section className="stack">
          <h3>What it answers</h3>
          <JsonView value={tool.outputSchema} openDepth={3} />
        </section>
      )}
    </div>
  );
}
