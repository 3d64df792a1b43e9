export { type Config, parseConfig } from './config.ts'
export { createLog } from './platform/log.ts'
export { type Service, startService } from './service.ts'
export { settingsHelp, settingsTable } from './settings-help.ts'
