# syntax=docker/dockerfile:1

# Builds the executable: Node with the service, the dashboard and the command line inside it.
FROM node:26-bookworm AS build
WORKDIR /build
COPY . .
# The context has no history: --build-arg SOURCE_COMMIT="$(git log -1 --format='%h, %cs')".
ARG SOURCE_COMMIT=
RUN npm run build:binary \
 && mv dist/mayfly-linux-*.licenses.txt /licenses.txt \
 && cp -L /usr/lib/*-linux-gnu/libatomic.so.1 /libatomic.so.1 \
 && mv dist/mayfly-linux-* /mayfly \
 && mkdir /empty

# The executable needs glibc, libstdc++ and libatomic, and nothing else: no shell, no package manager.
FROM gcr.io/distroless/cc-debian12:nonroot
ARG VERSION=0.1.0
LABEL org.opencontainers.image.title="Mayfly" \
      org.opencontainers.image.description="Throw-away email inboxes for automated tests" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.licenses="MIT"
# This base has no libatomic.
COPY --from=build /libatomic.so.1 /usr/lib/libatomic.so.1
COPY --from=build /mayfly /licenses.txt /
# A new volume gets the owner of the folder.
COPY --from=build --chown=65532:65532 /empty /data
USER 65532:65532
WORKDIR /data
VOLUME /data
ENV MAYFLY_HTTP_HOST=0.0.0.0 \
    MAYFLY_SMTP_HOST=0.0.0.0 \
    MAYFLY_DATABASE_URL=sqlite:/data/mayfly.db
EXPOSE 1025 8025
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=5s --timeout=5s --start-period=10s --retries=3 CMD ["/mayfly", "healthcheck"]
ENTRYPOINT ["/mayfly"]
CMD ["serve"]
