import type { Caller } from '../features/accounts/authenticate.ts'
import { createKey, listKeys, revokeKey, rotateKey } from '../features/accounts/keys.ts'
import { findProviderAccess } from '../features/accounts/provider-access.ts'
import { readAccount } from '../features/accounts/read.ts'
import { registerAccount } from '../features/accounts/register.ts'
import {
  changeSession,
  createSignInLink,
  signIn,
  signInWithoutKey,
  signOut,
} from '../features/accounts/sign-in.ts'
import {
  createScenario,
  deleteScenario,
  listScenarios,
  runScenario,
} from '../features/assertions/scenarios.ts'
import { findAccess } from '../features/compat/access.ts'
import {
  countMessages,
  findAttachmentByName,
  findAttachmentId,
  markSelected,
  removeSelected,
  resolveMessage,
} from '../features/compat/mailbox.ts'
import { readJim, setJim } from '../features/compat/mailhog/jim.ts'
import { readChaos, setChaos } from '../features/compat/mailpit/chaos.ts'
import { checkLinks } from '../features/compat/mailpit/link-check.ts'
import { listCatchAll } from '../features/compat/mailpit/lists.ts'
import { sendToInbox } from '../features/compat/mailpit/send.ts'
import { countTags, renameTag, setTags } from '../features/compat/mailpit/tags.ts'
import { readThumbnail } from '../features/compat/mailpit/thumbnail.ts'
import { releaseMessage } from '../features/compat/release.ts'
import { viewMailDev, viewMailHog, viewMailpit } from '../features/compat/views.ts'
import { beginConnection } from '../features/connections/begin.ts'
import {
  askToConnect,
  completeConnection,
  deleteConnection,
} from '../features/connections/complete.ts'
import { diagnose, readTranscript } from '../features/diagnostics/diagnose.ts'
import { listCustomDomains, listDomains } from '../features/domains/read.ts'
import { registerDomain } from '../features/domains/register.ts'
import { deleteDomain } from '../features/domains/remove.ts'
import { verifyDomain } from '../features/domains/verify.ts'
import { openAccountStream } from '../features/events/open-stream.ts'
import { deleteFaults, readFaults, setFaults } from '../features/faults/rules.ts'
import { readHtmlCheck } from '../features/html-check/check.ts'
import { createInbox } from '../features/inboxes/create.ts'
import { deleteInbox, getInbox, listInboxes, resolveInbox } from '../features/inboxes/read.ts'
import { consumeRegistration, consumeRequest } from '../features/limits/request-rates.ts'
import { listUsage } from '../features/limits/usage.ts'
import { readAttachment, readRaw } from '../features/messages/bytes.ts'
import {
  deleteMessage,
  deleteMessages,
  markMessage,
  removeMessages,
} from '../features/messages/change.ts'
import { createFrame, readFrame } from '../features/messages/frame.ts'
import {
  explainCode,
  listMessages,
  readMessage,
  readMessageExcerpt,
  writeMessages,
} from '../features/messages/read.ts'
import { keepAnswer } from '../features/providers/claim-once.ts'
import { fetchFiles } from '../features/providers/fetch-files.ts'
import { searchAccount } from '../features/search/search-account.ts'
import { respondToWait, waitForMessage } from '../features/waiting/wait.ts'
import { listDeliveries } from '../features/webhooks/log.ts'
import { createWebhook, deleteWebhook, listWebhooks } from '../features/webhooks/register.ts'
import { replayDelivery, testWebhook } from '../features/webhooks/replay.ts'
import {
  callFault,
  concernedInboxes,
  placeMails,
  recordCall,
  takeMail,
} from '../receiving/provider-calls.ts'
import { bind, bindAll } from './bind.ts'
import type { World } from './world.ts'

/** The features, as HTTP and MCP call them. */
export type App = ReturnType<typeof createApp>

/** Binds every feature; it gets only what it declares of the world. */
export function createApp(world: World) {
  return {
    requireReady: () => world.readiness.require(),
    describe: world.describe,
    authenticate: world.authenticate,
    limits: {
      ...bindAll(world, { consumeRequest, consumeRegistration }),
      countRequest: (caller: Caller) => world.requestCounter.count(caller),
    },
    accounts: bindAll(world, { register: registerAccount, read: readAccount, usage: listUsage }),
    connections: bindAll(world, {
      begin: beginConnection,
      ask: askToConnect,
      complete: completeConnection,
      delete: deleteConnection,
    }),
    signIn: bindAll(world, {
      createLink: createSignInLink,
      exchange: signIn,
      withoutKey: signInWithoutKey,
      change: changeSession,
      end: signOut,
    }),
    keys: bindAll(world, {
      create: createKey,
      list: listKeys,
      rotate: rotateKey,
      revoke: revokeKey,
    }),
    domains: bindAll(world, {
      list: listDomains,
      listCustom: listCustomDomains,
      register: registerDomain,
      verify: verifyDomain,
      delete: deleteDomain,
    }),
    inboxes: bindAll(world, {
      create: createInbox,
      list: listInboxes,
      get: getInbox,
      resolve: resolveInbox,
      delete: deleteInbox,
      diagnose,
    }),
    faults: bindAll(world, { set: setFaults, read: readFaults, delete: deleteFaults }),
    events: bindAll(world, { stream: openAccountStream }),
    messages: bindMessages(world),
    assertions: { run: world.runAssertions },
    scenarios: bindAll(world, {
      create: createScenario,
      list: listScenarios,
      delete: deleteScenario,
      run: runScenario,
    }),
    webhooks: bindAll(world, {
      create: createWebhook,
      list: listWebhooks,
      delete: deleteWebhook,
      test: testWebhook,
    }),
    deliveries: bindAll(world, { list: listDeliveries, replay: replayDelivery }),
    compat: bindCompat(world),
    providers: bindProviders(world),
  }
}

function bindMessages(world: World) {
  return bindAll(world, {
    list: listMessages,
    listJson: writeMessages,
    search: searchAccount,
    read: readMessage,
    excerpt: readMessageExcerpt,
    createFrame,
    frame: readFrame,
    mark: markMessage,
    delete: deleteMessage,
    deleteSome: removeMessages,
    deleteAll: deleteMessages,
    raw: readRaw,
    explainCode,
    htmlCheck: readHtmlCheck,
    attachment: readAttachment,
    transcript: readTranscript,
    wait: respondToWait,
    waitForId: waitForMessage,
  })
}

/** The APIs of providers. */
function bindProviders(world: World) {
  return bindAll(world, {
    access: findProviderAccess,
    place: placeMails,
    fault: callFault,
    take: takeMail,
    concerned: concernedInboxes,
    record: recordCall,
    keepAnswer,
    fetchFiles,
  })
}

/** The APIs of other mail catchers. */
function bindCompat(world: World) {
  return {
    access: bind(world, findAccess),
    release: bind(world, releaseMessage),
    releaseHosts: world.releaseHosts,
    mailbox: bindAll(world, {
      count: countMessages,
      resolve: resolveMessage,
      mark: markSelected,
      remove: removeSelected,
      attachmentId: findAttachmentId,
      attachmentByName: findAttachmentByName,
    }),
    mailhog: bindAll(world, { view: viewMailHog, jim: readJim, setJim }),
    maildev: bindAll(world, { view: viewMailDev }),
    mailpit: {
      ...bindAll(world, { view: viewMailpit, list: listCatchAll, send: sendToInbox }),
      ...bindAll(world, { tags: countTags, setTags, renameTag, chaos: readChaos, setChaos }),
      ...bindAll(world, { thumbnail: readThumbnail, checkLinks }),
      uptimeSeconds: () => Math.round(world.elapsedMs() / 1000),
    },
  }
}
