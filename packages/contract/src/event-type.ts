/** The one kind of event. */
export const EVENT_TYPE = 'message.received'
