import Glibc
import NIOSSL

/// The certificate by which this server speaks TLS.
struct Certificate {
    let context: NIOSSLContext
    /// When the first of its chain ends, in seconds since 1970.
    let endsAt: Int

    /// Reads the files. Throws where they are no certificate and its key.
    init(_ files: (certificate: String, key: String)) throws {
        do {
            let chain = try NIOSSLCertificate.fromPEMFile(files.certificate)
            var configuration = TLSConfiguration.makeServerConfiguration(
                certificateChain: chain.map { .certificate($0) },
                privateKey: .privateKey(try NIOSSLPrivateKey(file: files.key, format: .pem)))
            configuration.minimumTLSVersion = .tlsv12
            configuration.applicationProtocols = ["http/1.1"]
            context = try NIOSSLContext(configuration: configuration)
            endsAt = chain.map { Int($0.notValidAfter) }.min() ?? 0
        } catch {
            let names: [String] = [files.certificate, files.key]
            let unread = names.first { access($0, R_OK) != 0 }
            let reason =
                unread.map { "cannot read \($0): \(String(cString: strerror(errno)))" }
                ?? "\(files.certificate) and \(files.key) are no certificate and its key: \(error)"
            throw SystemFailure(saying: reason, exitCode: 78)
        }
    }

    /// Throws if it has ended: one that takes the place of another has to be better.
    func check() throws {
        guard endsAt > Clock.seconds else {
            throw SystemFailure(saying: "the certificate has ended", exitCode: 78)
        }
    }
}
