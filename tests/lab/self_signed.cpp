#include "lab/self_signed.h"

#include <fcntl.h>
#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>
#include <unistd.h>

#include <cstdio>
#include <memory>
#include <stdexcept>

namespace s3tug::lab {

namespace {

template <typename T, void (*Free)(T*)>
struct Freer {
    void operator()(T* value) const { Free(value); }
};
using Key = std::unique_ptr<EVP_PKEY, Freer<EVP_PKEY, EVP_PKEY_free>>;
using Certificate = std::unique_ptr<X509, Freer<X509, X509_free>>;

void check(bool done, const char* what) {
    if (!done) throw std::runtime_error(std::string("lab: cannot make a certificate: ") + what);
}

void add_extension(X509* certificate, int nid, const char* value) {
    X509V3_CTX context;
    X509V3_set_ctx_nodb(&context);
    X509V3_set_ctx(&context, certificate, certificate, nullptr, nullptr, 0);
    X509_EXTENSION* extension = X509V3_EXT_conf_nid(nullptr, &context, nid, value);
    check(extension != nullptr, value);
    X509_add_ext(certificate, extension, -1);
    X509_EXTENSION_free(extension);
}

Certificate make_certificate(EVP_PKEY* key) {
    constexpr long day = 24L * 3600;
    Certificate certificate(X509_new());
    check(certificate != nullptr, "allocation");
    X509_set_version(certificate.get(), 2);
    ASN1_INTEGER_set(X509_get_serialNumber(certificate.get()), 1);
    X509_gmtime_adj(X509_getm_notBefore(certificate.get()), -day);
    X509_gmtime_adj(X509_getm_notAfter(certificate.get()), day);
    X509_set_pubkey(certificate.get(), key);
    X509_NAME* name = X509_get_subject_name(certificate.get());
    X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC, reinterpret_cast<const unsigned char*>("s3tug-lab"), -1, -1,
                               0);
    X509_set_issuer_name(certificate.get(), name);
    add_extension(certificate.get(), NID_basic_constraints, "critical,CA:TRUE");
    add_extension(certificate.get(), NID_subject_alt_name, "DNS:localhost,DNS:*.localhost,IP:127.0.0.1,IP:::1");
    check(X509_sign(certificate.get(), key, EVP_sha256()) != 0, "signing");
    return certificate;
}

template <typename Write>
void write_pem(const std::string& name, mode_t mode, Write write) {
    const int fd = open(name.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode);
    std::FILE* file = fd < 0 ? nullptr : fdopen(fd, "w");
    check(file != nullptr, name.c_str());
    const bool written = write(file) == 1;
    check(std::fclose(file) == 0 && written, name.c_str());
}

}  // namespace

void write_self_signed(const std::string& certificate_file, const std::string& key_file) {
    const Key key(EVP_EC_gen("P-256"));
    check(key != nullptr, "key");
    const Certificate certificate = make_certificate(key.get());
    write_pem(certificate_file, 0644, [&](std::FILE* f) { return PEM_write_X509(f, certificate.get()); });
    write_pem(key_file, 0600,
              [&](std::FILE* f) { return PEM_write_PrivateKey(f, key.get(), nullptr, nullptr, 0, nullptr, nullptr); });
}

}  // namespace s3tug::lab
