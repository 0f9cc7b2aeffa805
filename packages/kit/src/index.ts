/** The kit: define tools, decide who may call them, serve them. Start reading at `define/tool.ts`, then `call/engine.ts`. */
export {
  administratorsOnly,
  administratorsWithAll,
  guardOf,
  ownersWithAll,
  teamOnly,
} from './access/availability.ts';
export { isTeam, mayAdminister, mustProve, soleCaller, systemCaller, unattended } from './access/caller.ts';
export { requireLasting } from './access/lasting.ts';
export type { ActingAgent, Caller, CallSource } from './access/caller.ts';
export {
  ALL_GRANTS,
  firstUncovered,
  intersectGrants,
  isGranted,
  isTouched,
  unionGrants,
} from './access/grants.ts';
export type { Grants } from './access/grants.ts';
export type { CatalogComeBack, CatalogTool } from './catalog/compiled-tool.ts';
export { createCatalog } from './catalog/catalog.ts';
export { coalesce, createChangeBus } from './changes.ts';
export type { Change, ChangeBus } from './changes.ts';
export { toolsetSource } from './catalog/source.ts';
export { tokenCost } from './catalog/token-cost.ts';
export type { Source, SourcePart } from './catalog/source.ts';
export {
  asksCode,
  describeCatalog,
  describedCatalog,
  fitsDescription,
  mergeDescriptions,
} from './catalog/written-catalog.ts';
export type { CatalogDescription } from './catalog/written-catalog.ts';
export { OpenConnection } from './channel/connection.ts';
export type { Connection } from './channel/connection.ts';
export type { Context, JsonSchema, Question, RequestInfo } from './define/context.ts';
export { detach } from './detach.ts';
export { DueWork } from './due-work.ts';
export type { Collection, CollectionFields, CollectionPage } from './define/collection.ts';
export { checkListQuery, listInput } from './define/collection-query.ts';
export type { ListQuery, Where } from './define/collection-query.ts';
export { collectionTools } from './define/collection-tools.ts';
export { GivenId } from './define/given-id.ts';
export type { Host, StartNotice } from './define/host.ts';
export type { Settings, SettingsOf } from './define/setting.ts';
export { hintsOf } from './define/effects.ts';
export type { Effect, Hints } from './define/effects.ts';
export type { LongResults } from './call/result-size.ts';
export { runTool } from './call/direct.ts';
export type { DirectCall } from './call/direct.ts';
export { createEngine } from './call/engine.ts';
export type { Engine, EngineOptions } from './call/engine.ts';
export { CLIENT_HEADER, headerReader, HOPS_HEADER, PROPERTIES_HEADER, requestInfo } from './call/exchange.ts';
export type { Exchange, ReadHeader } from './call/exchange.ts';
export type {
  Extension,
  ExtensionListen,
  ExtensionNotice,
  ExtensionSubscription,
} from './protocol/extension.ts';
export {
  errorBehind,
  errorResult,
  ERROR_CODE_META_KEY,
  httpStatusOf,
  ProtocolFault,
  RPC,
  ToolError,
} from './call/errors.ts';
export type { SharedErrorCode } from './call/errors.ts';
export { isSupported, Leave, noChannel } from './channel/channel.ts';
export { followedIn } from './call/outside.ts';
export type { Skill, SkillFile } from './define/skill.ts';
export { SKILLS_EXTENSION } from './protocol/skills.ts';
export type { ShownUri } from './catalog/shown-uris.ts';
export { metaInShownUris, resultInShownUris } from './catalog/shown-uris.ts';
export { invalidState } from './channel/rounds.ts';
export type {
  Channel,
  ClientCapabilities,
  InputRequest,
  InputResponse,
  LogLevel,
  StepOptions,
} from './channel/channel.ts';
export { unkeepableIn, unkeepableText } from './call/json-path.ts';
export { createListing } from './catalog/listing.ts';
export type { ListedTool, Listing } from './catalog/listing.ts';
export type { Middleware, ResourceRead, ToolCall } from './call/middleware.ts';
export { defineOutsidePrompt, defineOutsideResource } from './define/outside-document.ts';
export type { OutsideCompletion, OutsidePrompt, OutsideResource } from './define/outside-document.ts';
export { defineOutsideTool } from './define/outside-tool.ts';
export type { OutsideCall, OutsideTool } from './define/outside-tool.ts';
export {
  checkParamHeaders,
  decodeHeaderValue,
  encodeHeaderValue,
  paramHeadersOf,
  paramHeaderValues,
} from './catalog/param-headers.ts';
export type { ParamHeader } from './catalog/param-headers.ts';
export { definePrompt } from './define/prompt.ts';
export type { AnyPrompt, Prompt } from './define/prompt.ts';
export { capabilitiesOf } from './protocol/capabilities.ts';
export { META } from './protocol/meta-keys.ts';
export type { ServerInfo } from './protocol/server.ts';
export type { CallBody, CallRecord, Observer } from './call/record.ts';
export { createStateSealer } from './channel/sealed-state.ts';
export type { StateSealer } from './channel/sealed-state.ts';
export { hiddenByPower, hiddenReason } from './access/resolver.ts';
export type { Guarded, HiddenReason, Privileged } from './access/resolver.ts';
export { defineResource } from './define/resource.ts';
export type { AnyResource, Resource, ResourceContent } from './define/resource.ts';
export { isSecretName, isSecretSetting } from './secret-names.ts';
export { schemaCost } from './define/schema-cost.ts';
export type { SchemaCost } from './define/schema-cost.ts';
export { faultsAgainst, schemaFault } from './define/schema-fault.ts';
export { serveStdio } from './protocol/serve-stdio.ts';
export { stepBusy } from './channel/steps.ts';
export type { StepStore } from './channel/steps.ts';
export type { TaskCall, TaskSeam } from './call/task-seam.ts';
export { defineTool, defineToolFor, defineToolWith } from './define/tool.ts';
export type { AnyTool, DefineTool, Tool } from './define/tool.ts';
export { compileAnyTemplate } from './catalog/uri-template.ts';
export type { UriTemplate } from './catalog/uri-template.ts';
export { isInputRequired, isToolResult } from './call/tool-answer.ts';
export type { CreatedTask, ToolAnswer } from './call/tool-answer.ts';
export { defineToolset, install } from './define/toolset.ts';
export { toolsIn } from './define/tools-in.ts';
export type { AnyToolset, Installed, Offer, Toolset } from './define/toolset.ts';
export { typeId } from './type-id.ts';
export { describeIssues, issuesByField } from './call/validation.ts';
export { DEGRADED_KEY } from './catalog/caller-view.ts';
export type { ListMeta, ListName, ToolPage } from './catalog/caller-view.ts';
